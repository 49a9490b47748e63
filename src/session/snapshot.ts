/** Turns weights read back at one step into what the page and the report show: divergence of replicas, distance from the twin, losses, field. */
import { must } from '../base/invariant';
import { gatherRows } from '../data/gather';
import { stageGraph } from '../parallel/stage-graph';
import { FIELD_SIZE, type Snapshot } from '../protocol/session';
import { allocate, elements, type HostArray } from '../tensor/shape';
import { accuracy } from './accuracy';
import type { Blueprint } from './blueprint';
import { createEvaluator, type Evaluation, type Evaluator } from './evaluator';
import type { Weights } from './training';

/** Multiply-adds that one snapshot may spend on the CPU. */
const EVALUATION_BUDGET = 20_000_000;
const PREDICTIONS = 200;

/** Values that it may hold at once: 128 MB, whatever the limit on the work. */
const EVALUATION_VALUES = 32_000_000;

/** max |a - b|; NaN where one of them is NaN. */
export function maxAbsDifference(a: Float32Array, b: Float32Array): number {
  let most = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs((a[i] ?? 0) - (b[i] ?? 0));
    if (!(difference <= most)) most = Number.isNaN(difference) ? Number.NaN : difference;
    if (Number.isNaN(most)) return most;
  }
  return most;
}

const worst = (values: readonly number[]): number =>
  values.reduce((most, v) => (Number.isNaN(v) || v > most ? v : most), 0);

/** Replicas of a parameter: under DDP every device trains its own; DataParallel's other copies are overwritten on each forward. */
export function replicaDivergence(blueprint: Blueprint, weights: Weights): number {
  if (blueprint.config.mode !== 'ddp') return 0;
  const [first, ...others] = weights.devices;
  return worst(
    others.flatMap((own) =>
      blueprint.parameters.map(({ name }) => maxAbsDifference(must(first?.get(name), name), must(own.get(name), name))),
    ),
  );
}

/** The weights that count: of the first device that holds each parameter. */
export function mergedWeights(blueprint: Blueprint, weights: Weights): ReadonlyMap<string, Float32Array> {
  return new Map(
    blueprint.parameters.map(({ name }) => [name, must(weights.devices.find((d) => d.has(name))?.get(name), name)]),
  );
}

/** Running statistics: of the first device that holds them, as rank 0 saves its own. */
export function mergedState(blueprint: Blueprint, weights: Weights): ReadonlyMap<string, Float32Array> {
  const [first] = weights.devices;
  const buffers = blueprint.buffers.map(
    ({ name }) => [name, must((weights.devices.find((d) => d.has(name)) ?? first)?.get(name), name)] as const,
  );
  return new Map([...mergedWeights(blueprint, weights), ...buffers]);
}

export function differenceFromSingle(blueprint: Blueprint, weights: Weights): number | undefined {
  const { twin } = weights;
  if (!twin) return undefined;
  return worst(
    [...mergedWeights(blueprint, weights)].map(([name, values]) =>
      maxAbsDifference(values, must(twin.get(name), name)),
    ),
  );
}

/** Evaluators keep their buffers, so a page's snapshots allocate little. */
export interface Snapshots {
  take(weights: Weights): Snapshot;
}

export function createSnapshots(blueprint: Blueprint, limit = EVALUATION_BUDGET): Snapshots {
  const { dataset, input, table } = blueprint;
  const work = Math.max(
    1,
    blueprint.parameters.reduce((n, p) => n + elements(p.shape), 0),
  );
  const most = Math.max(1, Math.floor(Math.min(limit / work, EVALUATION_VALUES / valuesPerRow(blueprint))));
  const capped = (rows: Int32Array) => rows.subarray(0, most);
  const part = (rows: Int32Array) => {
    if (rows.length === 0) return undefined;
    const own = capped(rows);
    return { rows: own, evaluator: createEvaluator(input, own.length), ...gather(blueprint, own) };
  };
  const train = part(dataset.train);
  const test = part(dataset.test);
  const planar = elements(dataset.inputShape) === 2;
  const field: Evaluator | undefined = planar ? createEvaluator(input, FIELD_SIZE * FIELD_SIZE) : undefined;
  const grid = fieldGrid();
  const accuracyOf = ({ outputs, outputWidth }: Evaluation, targets: HostArray) =>
    dataset.task === 'classification' ? accuracy(blueprint.config.loss.type, outputs, outputWidth, targets) : undefined;

  return {
    take(weights) {
      const merged = mergedState(blueprint, weights);
      const evaluate = (p: typeof train) => {
        if (!p) return undefined;
        const result = p.evaluator.run(merged, p.inputs, p.targets);
        return { ...result, accuracy: accuracyOf(result, p.targets) };
      };
      const onTrain = must(evaluate(train), 'training rows');
      const onTest = evaluate(test);
      const outputs = field?.run(merged, grid);
      return {
        step: weights.step,
        parameters: weights.devices.map((own) => blueprint.parameters.map(({ name }) => own.get(name))),
        replicaDivergence: replicaDivergence(blueprint, weights),
        differenceFromSingle: differenceFromSingle(blueprint, weights),
        trainLoss: onTrain.loss,
        testLoss: onTest?.loss,
        trainAccuracy: onTrain.accuracy,
        testAccuracy: onTest?.accuracy,
        field: outputs && fieldValues(blueprint, outputs.outputs, outputs.outputWidth),
        predictions:
          dataset.task === 'regression'
            ? pairs(table.targets, train?.rows, onTrain.outputs, onTrain.outputWidth, table.targetWidth)
            : [],
      };
    },
  };
}

/** Inputs and outputs of every layer, all of which an evaluator keeps. */
function valuesPerRow({ input }: Blueprint): number {
  // Two rows: batch norm refuses one.
  const { graph } = stageGraph(input, { rows: 2, withLoss: false });
  const kept = graph.values.filter(({ role }) => role === 'activation' || role === 'input');
  return kept.reduce((sum, { type }) => sum + elements(type.shape), 0) / 2;
}

function gather({ table }: Blueprint, rows: Int32Array) {
  const inputs = allocate(table.inputType, rows.length * table.inputWidth);
  const targets = allocate(table.targetType, rows.length * table.targetWidth);
  gatherRows(table.inputs, table.inputWidth, rows, inputs);
  gatherRows(table.targets, table.targetWidth, rows, targets);
  return { inputs, targets };
}

/** Grid over [-1, 1]^2, row 0 at the top, cell centres. */
function fieldGrid(): Float32Array {
  const grid = new Float32Array(FIELD_SIZE * FIELD_SIZE * 2);
  const centre = (i: number) => (2 * (i + 0.5)) / FIELD_SIZE - 1;
  for (let row = 0; row < FIELD_SIZE; row++) {
    for (let column = 0; column < FIELD_SIZE; column++)
      grid.set([centre(column), -centre(row)], 2 * (row * FIELD_SIZE + column));
  }
  return grid;
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** Probability of class 1 in classification; the first output otherwise. */
function fieldValues({ config, dataset }: Blueprint, outputs: Float32Array, width: number): Float32Array {
  return Float32Array.from({ length: outputs.length / width }, (_, i) => {
    const first = outputs[i * width] ?? 0;
    if (dataset.task === 'regression') return first;
    if (config.loss.type === 'BCEWithLogitsLoss') return sigmoid(first);
    if (config.loss.type === 'CrossEntropyLoss') return sigmoid((outputs[i * width + 1] ?? 0) - first);
    return Math.min(1, Math.max(0, (first + 1) / 2));
  });
}

function pairs(
  targets: Float32Array | Int32Array,
  rows: Int32Array | undefined,
  outputs: Float32Array,
  width: number,
  targetWidth: number,
): [number, number][] {
  return [...(rows ?? [])]
    .slice(0, PREDICTIONS)
    .map((row, i) => [targets[row * targetWidth] ?? 0, outputs[i * width] ?? 0]);
}
