/** The name of a room's rank is never cut: if it does not fit, only the number is shown. */
import { expect, test } from 'vitest';
import { writingInk } from '../testing/writing-ink';
import { paintHead } from './paint-card';
import { frameRoom } from './room-layout';

/** The titles written on rooms this wide, in a font as wide as DejaVu Sans Bold. */
function namesIn(width: number, titles: readonly string[]): readonly string[] {
  const { ink, written } = writingInk(0.68);
  const rect = { x: 0, y: 0, width, height: 50 };
  for (const [device, title] of titles.entries())
    paintHead(ink, { device, rect, frame: frameRoom(rect), title, subtitles: [] });
  expect(written).toHaveLength(titles.length);
  return written;
}

test('rooms of 64 ranks on a laptop have the numbers of their ranks', () => {
  expect(namesIn(58, ['rank 3', 'rank 10', 'rank 63'])).toEqual(['3', '10', '63']);
});

test('rooms with a little more space have their whole names', () => {
  expect(namesIn(66, ['rank 3', 'rank 10', 'cuda:7'])).toEqual(['rank 3', 'rank 10', 'cuda:7']);
});
