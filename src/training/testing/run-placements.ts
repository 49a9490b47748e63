/**
 * Runs the start of a parity case in both placements and returns what each ended with, for tests that hold their bits.
 */

import { expect } from 'vitest';
import { must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import type { ParityCase } from './parity-cases';

interface PlacementRun {
  readonly losses: readonly (readonly number[])[];
  /** Bits of every buffer of every device that outlives a step, by device and name. */
  readonly bits: ReadonlyMap<string, Buffer>;
}

/**
 * Enough for DDP's iteration 0, its rebuilt buckets and full batches; where the last batch is short, an epoch is run.
 */
const FEW_STEPS = 5;

interface PlacementRuns {
  readonly shared: PlacementRun;
  readonly workers: PlacementRun;
}

/** With `gpu` on WebGPU, else on the CPU; `whole` runs as many steps as PyTorch took. */
export async function runPlacements(test: ParityCase, gpu?: GPU, whole = false): Promise<PlacementRuns> {
  return { shared: await runIn('shared', test, gpu, whole), workers: await runIn('workers', test, gpu, whole) };
}

/** The same losses, and the same bits in every buffer. */
export function expectSameBits({ shared, workers }: PlacementRuns): void {
  expect(shared.bits.size).toBeGreaterThan(0);
  expect(workers.losses).toEqual(shared.losses);
  expect([...workers.bits.keys()].sort()).toEqual([...shared.bits.keys()].sort());
  // By memory: for an assertion of its own each number of an array is a value to look at.
  const differing = [...shared.bits].filter(([buffer, bits]) => !must(workers.bits.get(buffer), buffer).equals(bits));
  expect(differing.map(([buffer]) => buffer)).toEqual([]);
}

async function runIn(
  placement: 'shared' | 'workers',
  test: ParityCase,
  gpu: GPU | undefined,
  whole: boolean,
): Promise<PlacementRun> {
  const device = gpu ? 'webgpu' : 'cpu';
  const config = parseConfig({ ...test.config, device, placement, compareSingle: false });
  const blueprint = createBlueprint(config, test.files);
  const keeper = new DeviceKeeper(gpu, true);
  const training = await createTraining(blueprint, { keeper, gpu });
  try {
    // One step by itself, as single-stepping runs it, the rest in one go.
    const first = await training.trace();
    const all = Math.max(...test.losses.map((losses) => losses.length)) - 1;
    const few = FEW_STEPS * config.accumulate;
    const short = blueprint.dataset.rows % config.batchSize !== 0;
    const rest = await training.run(
      whole ? all : Math.min(all, short ? Math.max(few, blueprint.batchesPerEpoch) : few),
    );
    const { values } = await training.checkpoint();
    return {
      losses: [first.losses, ...rest].map(({ perRank }) => perRank),
      bits: new Map(
        values.map(({ device, buffer, data }) => [
          `${device} ${buffer}`,
          Buffer.from(data.buffer, data.byteOffset, data.byteLength),
        ]),
      ),
    };
  } finally {
    await training.dispose();
    keeper.forget();
  }
}
