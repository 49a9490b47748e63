/**
 * Runs the start of a parity case in both placements and returns what each ended with, for tests that hold their bits.
 */

import { parseConfig } from '../../config/parse-config';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import type { ParityCase } from './parity-cases';

interface PlacementRun {
  readonly losses: readonly (readonly number[])[];
  /** Bits of every buffer of every device that outlives a step, by device and name. */
  readonly bits: ReadonlyMap<string, Uint32Array>;
}

/**
 * Enough for DDP's iteration 0, its rebuilt buckets and full batches; where the last batch is short, an epoch is run.
 */
const FEW_STEPS = 5;

export async function runPlacements(
  test: ParityCase,
  gpu: GPU,
): Promise<{ readonly shared: PlacementRun; readonly workers: PlacementRun }> {
  return { shared: await runIn('shared', test, gpu), workers: await runIn('workers', test, gpu) };
}

async function runIn(placement: 'shared' | 'workers', test: ParityCase, gpu: GPU): Promise<PlacementRun> {
  const config = parseConfig({ ...test.config, device: 'webgpu', placement, compareSingle: false });
  const blueprint = createBlueprint(config, test.files);
  const keeper = new DeviceKeeper(gpu, true);
  const training = await createTraining(blueprint, { keeper, gpu });
  try {
    // One step by itself, as single-stepping runs it, the rest in one go.
    const first = await training.trace();
    const few = FEW_STEPS * config.accumulate;
    const short = blueprint.dataset.rows % config.batchSize !== 0;
    const count = short ? Math.max(few, blueprint.batchesPerEpoch) : few;
    const rest = await training.run(Math.min(count, Math.max(...test.losses.map((losses) => losses.length)) - 1));
    const { values } = await training.checkpoint();
    return {
      losses: [first.losses, ...rest].map(({ perRank }) => perRank),
      bits: new Map(
        values.map(({ device, buffer, data }) => [
          `${device} ${buffer}`,
          new Uint32Array(data.buffer, data.byteOffset, data.length),
        ]),
      ),
    };
  } finally {
    await training.dispose();
    keeper.forget();
  }
}
