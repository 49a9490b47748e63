/** Inputs, statistics and outputs are of two runs, and fit together as a batch norm's do. */
import { expect, test } from 'vitest';
import { lesson } from '../../../../learn/what-else/lesson';
import { must } from '../../../base/invariant';
import { drawingOf, holdsForAllKnobs } from '../../testing/drawn';
import { kind, type Normed } from './norm-statistics';

const drawing = drawingOf(lesson, 'merge', kind);
const normed = async (sync: string) =>
  must(
    ((await drawing.data) as readonly Normed[]).find((own) => own.sync === sync),
    'a run',
  ).ranks;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

test('both runs have the same inputs', async () => {
  const inputs = async (sync: string) => (await normed(sync)).map((channels) => channels.map(({ input }) => input));
  expect(await inputs('1')).toEqual(await inputs('0'));
});

test('outputs are (input - mean) / deviation: of the rank, or of all ranks', async () => {
  for (const sync of ['0', '1']) {
    const ranks = await normed(sync);
    for (const channels of ranks)
      for (const [channel, own] of channels.entries()) {
        const among = sync === '1' ? ranks.flatMap((all) => all[channel]?.input ?? []) : own.input;
        expect(own.mean).toBeCloseTo(mean(among), 3);
        own.input.forEach((value, sample) => {
          expect(own.output[sample]).toBeCloseTo((value - own.mean) / own.deviation, 2);
        });
      }
  }
});

test('variance of all samples: mean of the variances plus variance of the means', async () => {
  for (const channel of ['1', '4', '8']) {
    const [within, between, total] = await Promise.all(
      ['within', 'between', 'total'].map((id) => drawing.value(id, { channel })),
    );
    expect(must(within, 'within') + must(between, 'between')).toBeCloseTo(must(total, 'total'), 5);
  }
});

test('with SyncBatchNorm all ranks use one mean, without it four', async () => {
  expect(await drawing.value('apart', { sync: '1' })).toBe(0);
  expect(await drawing.value('apart', { sync: '0' })).toBeGreaterThan(0.05);
});

test('pictures at both widths, for all knobs', () => holdsForAllKnobs(kind, drawing));
