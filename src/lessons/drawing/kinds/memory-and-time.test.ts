/** Each point is a run; what the lesson says of the two ways holds for them. */
import { expect, test } from 'vitest';
import { lesson } from '../../../../learn/model-parallel/lesson';
import { drawingOf, holdsForAllKnobs } from '../../testing/drawn';
import { kind } from './memory-and-time';

const drawing = drawingOf(lesson, 'trade', kind);
const over = (id: string, batch: string) =>
  Promise.all(['1', '2', '4'].map((devices) => drawing.value(id, { devices, batch })));

test.each(['32', '128'])('batch %s: stages save memory and no time, DDP saves time and less memory', async (batch) => {
  const [mpMemory, mpTime, ddpMemory, ddpTime] = await Promise.all(
    ['mpMemory', 'mpTime', 'ddpMemory', 'ddpTime'].map((id) => over(id, batch)),
  );
  for (const falling of [mpMemory, ddpMemory, ddpTime]) expect(falling?.toSorted((a, b) => b - a)).toEqual(falling);
  expect(mpTime?.toSorted((a, b) => a - b)).toEqual(mpTime);
  expect(mpMemory?.[2]).toBeLessThan(ddpMemory?.[2] ?? 0);
  expect(ddpTime?.[2]).toBeLessThan((ddpTime?.[0] ?? 0) / 2);
});

test('pictures at both widths, for all knobs', () => holdsForAllKnobs(kind, drawing));
