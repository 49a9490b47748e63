/**
 * Norms and clip_grad_norm_ of models in half precision on the CPU device: weights and running statistics have the bits
 * of torch 2.13. torch keeps the statistics in the model's type, and takes the norm of bfloat16 gradients in bfloat16.
 */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { withTraining } from '../testing/checkpoint-runs';
import { HALF_NORM_RUNS } from '../testing/half-norm-runs';

test.each(HALF_NORM_RUNS)('$name', place({ modes: ['single', 'ddp'] }), async ({ config, losses, weights }) => {
  await withTraining(config, {}, async (training) => {
    const records = await training.run(losses.length);
    const far = records.flatMap(({ perRank }, step) =>
      perRank.map((loss, rank) => Math.abs(loss / at(at(losses, step), rank) - 1)),
    );
    expect(Math.max(...far)).toBeLessThan(1e-6);
    const own = must((await training.weights()).devices[0], 'rank 0');
    for (const [name, values] of weights) expect(Float32Array.from(must(own.get(name), name)), name).toEqual(values);
  });
});
