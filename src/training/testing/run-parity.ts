/**
 * Runs a parity case in one memory, measures how far it is from PyTorch, in the terms of the bars, and takes what it
 * holds on the way where a run with one worker per rank is compared with it (run-placements.ts).
 */
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { gatherRows } from '../../data/gather-rows';
import { createEvaluator } from '../../inference/evaluator';
import { wholeFrom } from '../../sharding/shard-map';
import { decodeF32 } from '../../tensor/fixtures/decode';
import { allocate } from '../../tensor/shape';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import type { Training } from '../training';
import { mergedState } from '../weights/merged-weights';
import { replicaDivergence } from '../weights/weight-differences';
import type { Weights } from '../weights/weights';
import type { ParityCase } from './parity-cases';
import type { Bars, Stored } from './recorded-runs';
import { type HeldRun, heldBy, microBatchesHeld } from './run-placements';

export interface Measured extends Bars {
  readonly replicaDivergence: number;
  /** |loss - ref| / (|ref| + 0.01) in evaluation mode over all data; 0 where it was not recorded. */
  readonly eval_loss_rel: number;
  /** max |buffer - ref| relative to the buffer's largest value. */
  readonly final_buffer_maxrel: number;
}

export interface ParityRun {
  readonly measured: Measured;
  /** After microBatchesHeld(). */
  readonly held: HeldRun;
}

/** With `gpu` on WebGPU, else on the CPU; `whole`: what it holds is taken at the end. */
export async function runParity(test: ParityCase, gpu?: GPU, whole = false): Promise<ParityRun> {
  const device = gpu ? 'webgpu' : 'cpu';
  const config = parseConfig({ ...test.config, device, placement: 'shared', compareSingle: false });
  const blueprint = test.blueprintOf?.(config) ?? createBlueprint(config, test.files);
  const keeper = new DeviceKeeper(gpu, true);
  const training = await createTraining(blueprint, { keeper, gpu });
  try {
    const microBatches = Math.max(...test.losses.map((losses) => losses.length));
    const { accumulate } = blueprint.config;
    // One step by itself, as single-stepping runs it, the rest in one go or two.
    const first = await training.trace();
    const records = [first.losses, ...(await training.run(accumulate - 1))];
    const gradients = await gradientsOf(training);
    records.push(...(await training.run(microBatchesHeld(test, blueprint, whole) - accumulate)));
    const held = await heldBy(training, records);
    records.push(...(await training.run(microBatches - records.length)));
    return { measured: await measure(test, { training, records, gradients }), held };
  } finally {
    await training.dispose();
    keeper.forget();
  }
}

interface RunThrough {
  readonly training: Training;
  readonly records: readonly { readonly perRank: readonly number[] }[];
  /** After the first optimiser step. */
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

async function measure(test: ParityCase, { training, records, gradients }: RunThrough): Promise<Measured> {
  const relative = test.losses.flatMap((losses, rank) =>
    losses.map((loss, step) => ({ step, rel: relativeLoss(at(at(records, step).perRank, rank), loss) })),
  );
  const { blueprint } = training;
  const weights = await training.weights();
  const state = mergedState(blueprint, weights);
  return {
    loss_rel_first10: Math.max(...relative.filter((r) => r.step < 10).map((r) => r.rel)),
    loss_rel_all: Math.max(...relative.map((r) => r.rel)),
    first_grad_maxrel: largest(test.firstGradients, (name, expected) => {
      const gradient = must(gradients.get(`${name}.grad`), `${name}.grad`);
      const unclipped = gradient.map((value) => value / test.clipped);
      const { apart, scale } = compare(name, unclipped, expected);
      return apart / scale;
    }),
    final_param_maxabs: largest(
      test.finalParameters,
      (name, expected) => compare(name, must(state.get(name), name), expected).apart,
    ),
    replicaDivergence: replicaDivergence(blueprint, weights),
    eval_loss_rel: test.evalLoss === undefined ? 0 : relativeLoss(evalLoss(training, weights), test.evalLoss),
    final_buffer_maxrel: largest(test.finalBuffers, (name, expected) => {
      const { apart, scale } = compare(name, must(state.get(name), name), expected);
      return apart / scale;
    }),
  };
}

const relativeLoss = (loss: number, expected: number): number =>
  Math.abs(loss - expected) / (Math.abs(expected) + 0.01);

const largest = (stored: ReadonlyMap<string, Stored>, error: (name: string, expected: Stored) => number): number =>
  [...stored].reduce((most, [name, expected]) => Math.max(most, error(name, expected)), 0);

/** The key third of an attention's bias: the softmax does not see it. */
const isKeyBias = (name: string, index: number, length: number): boolean =>
  name.endsWith('qkv.bias') && index >= length / 3 && index < (2 * length) / 3;

function compare(name: string, actual: Float32Array, expected: Stored): { apart: number; scale: number } {
  const length = expected.shape.reduce((n, s) => n * s, 1);
  if (actual.length !== length) return { apart: Number.POSITIVE_INFINITY, scale: 1 };
  const pairs: [index: number, value: number][] =
    'idx' in expected
      ? expected.idx.map((index, i) => [index, at(expected.val, i)])
      : [...decoded(expected)].map((value, i) => [i, value]);
  let [apart, scale] = [0, 'idx' in expected ? expected.absmax : 0];
  for (const [index, value] of pairs) {
    scale = Math.max(scale, Math.abs(value));
    if (!isKeyBias(name, index, length)) apart = worse(apart, Math.abs(at(actual, index) - value));
  }
  return { apart, scale: scale === 0 ? 1 : scale };
}

const worse = (a: number, b: number): number => (b <= a ? a : Number.isNaN(b) ? Number.POSITIVE_INFINITY : b);

function decoded(stored: Extract<Stored, { b64: string }>): ArrayLike<number> & Iterable<number> {
  if (stored.dtype !== 'i32') return decodeF32(stored);
  return new Int32Array(Uint8Array.from(Buffer.from(stored.b64, 'base64')).buffer);
}

/** `.grad` of every parameter: the first device's that has it, or put together where devices have parts of it. */
async function gradientsOf(training: Training): Promise<ReadonlyMap<string, Float32Array>> {
  const { shards } = training.blueprint;
  const { values } = await training.checkpoint();
  const names = new Set(values.flatMap(({ buffer }) => (buffer.endsWith('.grad') ? [buffer] : [])));
  return new Map(
    [...names].map((name) => {
      const held = new Map(values.flatMap((v) => (v.buffer === name ? [[v.device, Float32Array.from(v.data)]] : [])));
      const layout = must(shards.get(name), name);
      const own = layout.owners.filter(({ device }) => held.has(device));
      return [name, wholeFrom(name, { ...layout, owners: own }, (device) => held.get(device))];
    }),
  );
}

/** model.eval() on every row. */
function evalLoss({ blueprint }: Training, weights: Weights): number {
  const { dataset, table, input } = blueprint;
  const rows = Int32Array.from({ length: dataset.rows }, (_, i) => i);
  const inputs = allocate(table.inputType, rows.length * table.inputWidth);
  const targets = allocate(table.targetType, rows.length * table.targetWidth);
  gatherRows(table.inputs, table.inputWidth, rows, inputs);
  gatherRows(table.targets, table.targetWidth, rows, targets);
  return createEvaluator(input, rows.length).run(mergedState(blueprint, weights), inputs, targets).loss;
}
