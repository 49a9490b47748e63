/**
 * Losses and accuracy of snapshots and reports: equal numbers for all kinds of rows, and a cost that limits the number
 * of evaluated rows.
 */
import { expect, test } from 'vitest';
import { parseConfig } from '../config/parse-config';
import type { ConfigInput } from '../protocol/config';
import { cnnLayers, gptLayers } from '../protocol/presets';
import { openTestSession } from '../session/testing/open-session';
import { createBlueprint } from '../training/blueprint';
import { affordableRows } from './measure';

const reverse: ConfigInput = {
  device: 'cpu',
  model: { layers: gptLayers({ vocab: 5, context: 6, width: 8, heads: 2, layers: 1 }) },
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'Adam', lr: 0.01 },
  data: { type: 'sequence', task: 'reverse', length: 3, symbols: 4, samples: 40, testFraction: 0.5 },
  batchSize: 10,
};

test('a report of tokens has the accuracy of the snapshot after the same steps', async () => {
  const s = await openTestSession(reverse);
  for (let step = 0; step < 6; step++) await s.api.traceStep();
  const { testAccuracy, testLoss } = await s.api.snapshot();
  const report = await s.api.run({ ...reverse, steps: 6 }, {});
  expect(report.accuracy).toBe(testAccuracy);
  expect(report.testLoss).toBe(testLoss);
  // 60 positions have a target.
  const right = 60 * (report.accuracy ?? 0.5);
  expect(right).toBeCloseTo(Math.round(right), 9);
  await s.close();
});

test('costly models are evaluated on fewer rows, at least on one', () => {
  const rowsOf = (config: ConfigInput, ns: number) =>
    affordableRows(createBlueprint(parseConfig({ ...config, memoryBudgetMb: 4000 }), {}).input, ns);
  const images: ConfigInput = { loss: { type: 'CrossEntropyLoss' }, data: { type: 'digits', samples: 64 } };
  const [small, large] = [8, 32].map((n) =>
    rowsOf({ ...images, model: { layers: cnnLayers(28, [n, 2 * n], 10) } }, 30e6),
  );
  expect(small).toBeGreaterThan(10);
  expect(large).toBeLessThan((small ?? 0) / 4);
  const gpt = gptLayers({ vocab: 38, context: 64, width: 128, heads: 4, layers: 4 });
  expect(rowsOf({ ...reverse, model: { layers: gpt }, data: { type: 'text', context: 64 } }, 1e6)).toBe(1);
  expect(rowsOf({}, 30e6)).toBeGreaterThan(10_000);
});
