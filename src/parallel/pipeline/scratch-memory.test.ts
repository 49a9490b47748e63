/** Two stages on one rank, each with a convolution whose kernels need scratch memory of their own size. */
import { expect, test } from 'vitest';
import { runConfig } from '../../headless/run';
import type { ConfigInput, LayerInput } from '../../protocol/config';
import { SCHEDULE_NAMES, type ScheduleName } from '../../protocol/pipeline';

const conv = (into: number, out: number): LayerInput[] => [
  { type: 'Conv2d', in: into, out, kernel: 3, padding: 1 },
  { type: 'Tanh' },
];
const RUN: ConfigInput = {
  device: 'cpu',
  compareSingle: false,
  model: {
    layers: [
      ...[conv(1, 2), conv(2, 5), conv(5, 3), conv(3, 4)].flat(),
      { type: 'Flatten' },
      { type: 'Linear', in: 64, out: 3 },
    ],
  },
  data: { type: 'prototypes', samples: 24, classes: 3, size: 4 },
  loss: { type: 'CrossEntropyLoss' },
  batchSize: 8,
  dropLast: true,
  steps: 4,
};

const losses = async (config: ConfigInput): Promise<readonly number[]> =>
  (await runConfig(config, {})).report.losses.map(({ loss }) => loss);

const TWO_STAGES: readonly ScheduleName[] = SCHEDULE_NAMES.filter((name) => name !== 'GPipe' && name !== '1F1B');

test.each(TWO_STAGES.flatMap((schedule) => [1, 2].map((pp) => [schedule, pp] as const)))(
  '%s on %d ranks: the losses of one device',
  async (schedule, pp) => {
    const found = await losses({ ...RUN, mode: 'pipeline', mesh: { pp }, pipeline: { schedule, microBatches: 4 } });
    const expected = await losses(RUN);
    expect(found).toHaveLength(expected.length);
    expected.forEach((loss, i) => {
      expect(found[i]).toBeCloseTo(loss, 5);
    });
  },
);
