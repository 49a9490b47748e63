/** gradient_as_bucket_view: the same bits, and memory for one copy of the gradients less. */
import { expect, test } from 'vitest';
import { planRun } from '../../headless/plan-run';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';

const config = (ddp: ConfigInput['ddp'], worldSize = 3): ConfigInput => ({
  device: 'cpu',
  mode: 'ddp',
  worldSize,
  model: { layers: [{ type: 'Linear', in: 2, out: 7 }, { type: 'Tanh' }, { type: 'Linear', in: 7, out: 1 }] },
  data: { type: 'xor', samples: 64 },
  batchSize: 12,
  steps: 7,
  seed: 3,
  compareSingle: false,
  ddp: { bucketCapMb: 0.00005, ...ddp },
});

test.each([{}, { algorithm: 'naive' }, { overlap: false }, { findUnusedParameters: true }] as const)(
  'the weights are those of copied buckets, %o',
  async (ddp) => {
    const copied = await runConfig(config(ddp), {});
    for (const placement of ['shared', 'workers'] as const) {
      const views = await runConfig({ ...config({ ...ddp, gradientAsBucketView: true }), placement }, {});
      expect(views.report.error).toBeUndefined();
      expect(views.report.replicaDivergence).toBe(0);
      expect(views.report.weightsSha256).toBe(copied.report.weightsSha256);
      expect(views.report.bytes).toEqual(copied.report.bytes);
    }
  },
);

test('one copy of the gradients less, exactly as planned', async () => {
  const wide: ConfigInput = {
    ...config({ bucketCapMb: 1 }, 2),
    model: { layers: [{ type: 'Linear', in: 2, out: 512 }, { type: 'ReLU' }, { type: 'Linear', in: 512, out: 1 }] },
    batchSize: 2,
  };
  const [copied] = await planRun(wide, {});
  const [views] = await planRun({ ...wide, ddp: { bucketCapMb: 1, gradientAsBucketView: true } }, {});
  const gradients = 4 * (2 * 512 + 512 + 512 + 1);
  const saved = (copied?.peakBytes ?? 0) - (views?.peakBytes ?? 0);
  // The bucket shares its place with activations of one row, and places are multiples of 256 bytes.
  expect(saved).toBeGreaterThan(gradients - 4 * 2 * 512 - 512);
  expect(saved).toBeLessThanOrEqual(gradients + 256);
});
