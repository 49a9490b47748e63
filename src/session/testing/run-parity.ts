/** Runs a parity case on a device and measures how far it is from PyTorch, in the terms of the bars. */
import { at, must } from '../../base/invariant';
import type { Captured } from '../../protocol/trace';
import { createBlueprint } from '../blueprint';
import { DeviceKeeper } from '../device-keeper';
import { parseConfig } from '../parse-config';
import { maxAbsDifference, mergedWeights, replicaDivergence } from '../snapshot';
import { createTraining } from '../training';
import type { Bars, ParityCase } from './parity-cases';

export interface Measured extends Bars {
  readonly replicaDivergence: number;
}

const maxAbs = (values: Float32Array): number => values.reduce((most, v) => Math.max(most, Math.abs(v)), 0);

export async function runParity(
  test: ParityCase,
  device: 'cpu' | 'webgpu',
  gpu?: GPU,
  placement: 'shared' | 'workers' = 'shared',
): Promise<Measured> {
  const blueprint = createBlueprint(
    parseConfig({ ...test.config, device, placement, compareSingle: false }),
    test.files,
  );
  const keeper = new DeviceKeeper(gpu, true);
  const training = await createTraining(blueprint, { keeper, gpu });
  try {
    const steps = at(test.losses, 0).length;
    const first = await training.trace();
    const records = [first.losses, ...(await training.run(steps - 1))];
    const relative = test.losses.flatMap((losses, rank) =>
      losses.map((loss, step) => ({
        step,
        rel: Math.abs(at(at(records, step).perRank, rank) - loss) / (Math.abs(loss) + 0.01),
      })),
    );
    const weights = await training.weights();
    const merged = mergedWeights(blueprint, weights);
    // DataParallel's gradients count on device 0, where they are summed.
    const gradients = lastWritten(
      first.events.filter((e) => e.device === 0 || blueprint.config.mode !== 'dataParallel').flatMap((e) => e.captured),
    );
    return {
      loss_rel_first10: Math.max(...relative.filter((r) => r.step < 10).map((r) => r.rel)),
      loss_rel_all: Math.max(...relative.map((r) => r.rel)),
      first_grad_maxrel: Math.max(
        ...[...test.firstGradients].map(
          ([name, expected]) =>
            maxAbsDifference(must(gradients.get(`${name}.grad`), `${name}.grad`), expected) / maxAbs(expected),
        ),
      ),
      final_param_maxabs: Math.max(
        ...[...test.finalParameters].map(([name, expected]) =>
          maxAbsDifference(must(merged.get(name), name), expected),
        ),
      ),
      replicaDivergence: replicaDivergence(blueprint, weights),
    };
  } finally {
    await training.dispose();
    keeper.forget();
  }
}

function lastWritten(captured: readonly Captured[]): ReadonlyMap<string, Float32Array> {
  const last = new Map<string, Float32Array>();
  for (const { buffer, offset, values } of captured) if (offset === 0) last.set(buffer, values);
  return last;
}
