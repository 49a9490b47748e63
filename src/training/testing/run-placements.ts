/**
 * Runs the start of a parity case with one worker per rank, for tests that hold it to the bits of the run in one
 * memory: run-parity.ts takes those on its way.
 */

import { expect } from 'vitest';
import { must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { type Blueprint, createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import type { Training } from '../training';
import type { ParityCase } from './parity-cases';

/** What a run holds after some of its micro-batches. */
export interface HeldRun {
  readonly losses: readonly (readonly number[])[];
  /** Bits of every buffer of every device that outlives a step, by device and name. */
  readonly bits: ReadonlyMap<string, Buffer>;
}

/**
 * Enough for DDP's iteration 0, its rebuilt buckets and full batches; where the last batch is short, an epoch is run.
 */
const FEW_STEPS = 5;

/** After how many micro-batches both placements are compared; `whole`: after as many as PyTorch took. */
export function microBatchesHeld(test: ParityCase, { config, dataset, batchesPerEpoch }: Blueprint, whole: boolean) {
  const all = Math.max(...test.losses.map((losses) => losses.length));
  const few = FEW_STEPS * config.accumulate;
  const short = dataset.rows % config.batchSize !== 0;
  return whole ? all : Math.min(all, 1 + (short ? Math.max(few, batchesPerEpoch) : few));
}

/** `records`: the losses of all micro-batches so far. */
export async function heldBy(
  training: Training,
  records: readonly { readonly perRank: readonly number[] }[],
): Promise<HeldRun> {
  const { values } = await training.checkpoint();
  const bits = values.map(({ device, buffer, data }): [string, Buffer] => [
    `${device} ${buffer}`,
    Buffer.from(data.buffer, data.byteOffset, data.byteLength),
  ]);
  return { losses: records.map(({ perRank }) => perRank), bits: new Map(bits) };
}

/**
 * The parity case whose ranks are joined by real MessagePorts. A port detaches an array that is sent, so a rank that
 * used the array again would fail. In all other cases without workers, ranks pass arrays by reference.
 */
const BY_PORTS = 'tanh_mlp DDP world_size2_batch_per_rank16';

/** With `gpu` on WebGPU, else on the CPU. */
export async function runInWorkers(test: ParityCase, gpu?: GPU, whole = false): Promise<HeldRun> {
  const device = gpu ? 'webgpu' : 'cpu';
  const config = parseConfig({ ...test.config, device, placement: 'workers', compareSingle: false });
  const blueprint = createBlueprint(config, test.files);
  const keeper = new DeviceKeeper(gpu, true);
  const training = await createTraining(blueprint, { keeper, gpu, byPorts: test.name === BY_PORTS });
  try {
    // One step by itself, as single-stepping runs it, the rest in one go.
    const first = await training.trace();
    const rest = await training.run(microBatchesHeld(test, blueprint, whole) - 1);
    return await heldBy(training, [first.losses, ...rest]);
  } finally {
    await training.dispose();
    keeper.forget();
  }
}

/** The same losses, and the same bits in every buffer. */
export function expectSameBits(shared: HeldRun, workers: HeldRun): void {
  expect(shared.bits.size).toBeGreaterThan(0);
  expect(workers.losses).toEqual(shared.losses);
  expect([...workers.bits.keys()].sort()).toEqual([...shared.bits.keys()].sort());
  // By memory: for an assertion of its own each number of an array is a value to look at.
  const differing = [...shared.bits].filter(([buffer, bits]) => !must(workers.bits.get(buffer), buffer).equals(bits));
  expect(differing.map(([buffer]) => buffer)).toEqual([]);
}
