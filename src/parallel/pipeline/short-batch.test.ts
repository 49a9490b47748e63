/** A short last batch is cut into as many micro-batches as it has rows for and the schedule can order. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { createBlueprint } from '../../training/blueprint';
import { microBatchesFor, mostMicroBatches } from './short-batch';

const run = (schedule: NonNullable<ConfigInput['pipeline']>['schedule'], more: ConfigInput = {}): ConfigInput => ({
  mode: 'pipeline',
  device: 'cpu',
  compareSingle: false,
  model: { layers: mlpLayers([2, 4, 4, 4, 4, 4, 4, 4, 1], 'Tanh') },
  data: { type: 'xor', samples: 19 },
  batchSize: 8,
  steps: 6,
  mesh: { pp: 2 },
  pipeline: { schedule, microBatches: 8, ...(schedule === 'own' ? { actions: '0F0,0B0\n1F0,1B0' } : {}) },
  ...more,
});

test.each([
  ['GPipe', 3, 3],
  ['1F1B', 3, 3],
  ['1F1B', 1, undefined],
  ['LoopedBFS', 1, 1],
  ['Interleaved1F1B', 7, 6],
  ['ZBVZeroBubble', 1, 1],
  ['DualPipeV', 3, undefined],
  ['DualPipeV', 4, 4],
  ['GPipe', 9, 8],
] as const)('%s cuts %i rows into %s', (schedule, rows, count) => {
  const config = parseConfig(run(schedule));
  expect(mostMicroBatches(config, rows)).toBe(count);
  expect(microBatchesFor(config, [rows, rows + 1])).toBe(count ?? 8);
});

test('batch norm keeps two rows in each', () => {
  const layers: NonNullable<ConfigInput['model']>['layers'] = [
    { type: 'Linear', in: 2, out: 4 },
    { type: 'BatchNorm1d', features: 4 },
    { type: 'Linear', in: 4, out: 1 },
  ];
  expect(mostMicroBatches(parseConfig(run('GPipe', { model: { layers } })), 7)).toBe(3);
});

test.each(['GPipe', 'ZBVZeroBubble', 'Interleaved1F1B'] as const)(
  '%s trains on a last batch of three rows',
  async (schedule) => {
    const { report } = await runConfig(parseConfig(run(schedule)), {});
    expect(report.losses).toHaveLength(6);
    for (const { loss } of report.losses) expect(loss).toBeGreaterThan(0);
    const single = await runConfig(parseConfig(run(schedule, { mode: 'single', mesh: {} })), {});
    // The mean over micro-batches of one row each is the mean over the rows.
    for (const [i, { loss }] of report.losses.entries())
      expect(loss).toBeCloseTo(single.report.losses[i]?.loss ?? Number.NaN, 5);
  },
);

test('is refused in words where the schedule has no order for it', async () => {
  await expect(runConfig(parseConfig(run('DualPipeV')), {})).rejects.toThrow(
    /pipeline.microBatches is 8, batchSize is \d+ and dropLast is false: the last batch of an epoch has 3 rows, and DualPipeV cannot run so few micro-batches\./,
  );
});

test('a full batch is never cut into fewer: BatchNorm1d refuses one row, and BatchNorm2d takes one image', () => {
  const with1d: ConfigInput['model'] = {
    layers: [
      { type: 'Linear', in: 2, out: 4 },
      { type: 'BatchNorm1d', features: 4 },
      { type: 'Tanh' },
      { type: 'Linear', in: 4, out: 1 },
    ],
  };
  const blueprint = (config: ConfigInput) => createBlueprint(parseConfig(config), {});
  expect(() => blueprint(run('GPipe', { model: with1d }))).toThrow(
    /Expected more than 1 value per channel when training, got input size torch.Size\(\[1, 4\]\)/,
  );
  const images: ConfigInput = run('GPipe', {
    data: { type: 'prototypes', samples: 16, classes: 2, size: 4 },
    loss: { type: 'CrossEntropyLoss' },
    model: {
      layers: [
        { type: 'Conv2d', in: 1, out: 2, kernel: 3 },
        { type: 'BatchNorm2d', features: 2 },
        { type: 'Flatten' },
        { type: 'Linear', in: 8, out: 2 },
      ],
    },
  });
  expect(microBatchesFor(parseConfig(images), [8])).toBe(8);
  expect(() => blueprint(images)).not.toThrow();
});
