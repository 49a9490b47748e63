/** Bounds by the size of a file, counted in values and bytes, not in seconds. */
import { expect, test } from 'vitest';
import { readPickle } from '../recordings/flight/pickle';
import { parseReport } from '../reports/read-report';
import { MOST_DEPTH, tooMuchOf, unpackedAtMost } from './reading-bounds';

/** A pickle of lists that refer to one another: each has the one before ten times, for two bytes each time. */
function laughs(levels: number): Uint8Array {
  const bytes = [0x80, 2, 0x5d, 0x71, 0];
  for (let level = 1; level <= levels; level++) {
    bytes.push(0x5d, 0x71, level, 0x28);
    for (let k = 0; k < 10; k++) bytes.push(0x68, level - 1);
    bytes.push(0x65);
  }
  return Uint8Array.from([...bytes, 0x2e]);
}

test('a pickle of a kilobyte that stands for 10^40 values is refused after as many as its size allows', () => {
  expect(readPickle(laughs(3), 'a')).toHaveLength(10);
  expect(() => readPickle(laughs(40), 'a')).toThrow(
    /its lists refer to one another, which expands [\d,]+ bytes into more than [\d,]+ values/,
  );
});

test('lists that are nested too deep, or hold themselves', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(tooMuchOf(JSON.parse(nested(MOST_DEPTH)), 400)).toBeUndefined();
  expect(tooMuchOf(JSON.parse(nested(MOST_DEPTH + 2)), 400)).toMatch(/nested more than 200 deep/);
  const ring: unknown[] = [];
  ring.push(ring, ring);
  expect(tooMuchOf(ring, 10)).toMatch(/nested more than 200 deep/);
  expect(() => parseReport(`{"losses": [${nested(50_000)}]}`, 'a.json')).toThrow(/nested more than 200 deep/);
  expect(tooMuchOf(new Map([[1, [new Map()]]]), 1)).toBeUndefined();
});

test('packed bytes unpack to at most the size that their reader accepts, and small files to less', () => {
  expect(unpackedAtMost(1000, 2 ** 31)).toBeLessThan(2 ** 28);
  expect(unpackedAtMost(2 ** 30, 2 ** 31)).toBe(2 ** 31);
});
