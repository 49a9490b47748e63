/**
 * A training step of a model on rented machines: memory by kind and time by phase, for one rank of DDP. Times are the
 * modelled clock's (simulator/cost-model: launch, then the slower of arithmetic and memory, layer by layer); times of
 * collectives are `collective-time.ts`'s. Checked against published counts and against the simulator in step.test.ts.
 */
import { assignBuckets } from '../parallel/ddp/buckets';
import { kernelUs } from '../simulator/cost-model';
import { allReduceTimes } from './collective-time';
import type { Machine } from './machines';
import { keptOfPart, type Layer, type Model, type ModelPart, parametersOf, sum } from './model';

export interface AskedStep {
  readonly model: Model;
  readonly machine: Machine;
  /** The number of data-parallel ranks. */
  readonly ranks: number;
  /** The number of rows per rank. */
  readonly rows: number;
}

/** Bytes of one element: weights, gradients and states in float32, autocast's operands in bfloat16. */
const FULL = 4;
const HALF = 2;

export interface Memory {
  readonly weights: number;
  readonly gradients: number;
  readonly states: number;
  /** The bytes of autocast's copies of the weights, which backward also reads. */
  readonly casts: number;
  readonly activations: number;
}

export const gradientBytes = (model: Model): number => FULL * parametersOf(model);

export function memoryOf(model: Model, rows: number): Memory {
  const parameters = parametersOf(model);
  return {
    weights: FULL * parameters,
    gradients: FULL * parameters,
    states: FULL * model.states * parameters,
    casts: HALF * parameters,
    activations: rows * sum(model.parts, keptOfPart),
  };
}

export const memoryInAll = (memory: Memory): number => sum(Object.values(memory), (bytes: number) => bytes);

/**
 * The time of one layer; `times`: 1 for forward, 2 for backward, which computes the gradients of inputs and of weights.
 */
export function layerUs({ parameters, macs, moved, kernels }: Layer, rows: number, times: number, of: Machine): number {
  if (kernels === 0) return 0;
  const weights = sum(parameters, (count) => count);
  const bytes = HALF * (rows * moved + weights);
  const work = kernelUs({ flops: times * 2 * rows * macs, bytes: times * bytes }, of.hardware);
  return work + (times * kernels - 1) * of.hardware.launchUs;
}

export const partUs = (part: ModelPart, rows: number, times: number, machine: Machine): number =>
  sum(part.layers, (layer) => layerUs(layer, rows, times, machine));

export const forwardUs = ({ model, machine, rows }: Pick<AskedStep, 'model' | 'machine' | 'rows'>): number =>
  sum(model.parts, (part) => partUs(part, rows, 1, machine));

export const backwardUs = ({ model, machine, rows }: Pick<AskedStep, 'model' | 'machine' | 'rows'>): number =>
  sum(model.parts, (part) => partUs(part, rows, 2, machine));

/** A fused optimiser reads parameter, gradient and states, and writes all but the gradient. */
export function optimizerUs({ model, machine }: Pick<AskedStep, 'model' | 'machine'>): number {
  const passes = 3 + 2 * model.states;
  const bytes = FULL * passes * parametersOf(model);
  return kernelUs({ flops: 0, bytes }, machine.hardware);
}

export interface SentBucket {
  readonly bytes: number;
  /**
   * Times since the start of backward: when the bucket's last gradient is ready, and when its all-reduce begins and
   * ends.
   */
  readonly readyUs: number;
  readonly startUs: number;
  readonly endUs: number;
}

const MIB = 2 ** 20;
/** DDP's default caps: a first bucket of 1 MiB, then 25 MiB. */
export const DEFAULT_CAPS: readonly number[] = [MIB, 25 * MIB];

/** DDP's backward: buckets fill from the last layer to the first, and are reduced one after the other. */
export function bucketsOf({ model, machine, ranks, rows }: AskedStep, caps = DEFAULT_CAPS): readonly SentBucket[] {
  // The size of each gradient, in the order in which backward computes them.
  const sizes: number[] = [];
  const readyAt: number[] = [];
  let clock = 0;
  for (const { layers } of model.parts.toReversed())
    for (const layer of layers.toReversed()) {
      clock += layerUs(layer, rows, 2, machine);
      for (const count of layer.parameters.toReversed()) {
        sizes.push(FULL * count);
        readyAt.push(clock);
      }
    }
  let free = 0;
  const timeOf = allReduceTimes(ranks, machine);
  return assignBuckets(sizes, caps).map((indices): SentBucket => {
    const bytes = sum(indices, (index) => sizes[index] ?? 0);
    const readyUs = readyAt[indices.at(-1) ?? -1] ?? 0;
    const startUs = Math.max(readyUs, free);
    free = startUs + timeOf(bytes);
    return { bytes, readyUs, startUs, endUs: free };
  });
}

export interface StepTime {
  readonly forwardUs: number;
  readonly backwardUs: number;
  /** The time of all all-reduces in sequence, and the part that remains after backward ends. */
  readonly commUs: number;
  readonly exposedUs: number;
  readonly optimizerUs: number;
  readonly stepUs: number;
}

export function stepOf(asked: AskedStep, caps = DEFAULT_CAPS): StepTime {
  const buckets = bucketsOf(asked, caps);
  const backward = backwardUs(asked);
  const forward = forwardUs(asked);
  const optimizer = optimizerUs(asked);
  const exposed = asked.ranks === 1 ? 0 : Math.max(0, (buckets.at(-1)?.endUs ?? 0) - backward);
  return {
    forwardUs: forward,
    backwardUs: backward,
    commUs: sum(buckets, ({ startUs, endUs }) => endUs - startUs),
    exposedUs: exposed,
    optimizerUs: optimizer,
    stepUs: forward + backward + exposed + optimizer,
  };
}
