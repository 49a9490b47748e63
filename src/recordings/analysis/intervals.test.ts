import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, type Intervals, intersect, merged, subtract, total, union } from './intervals';

const MOST = 40;
const pairs = fc.array(fc.tuple(fc.nat(MOST - 1), fc.integer({ min: 1, max: 8 })), { maxLength: 8 });
const intervals = pairs.map((list) => merged(list.map(([from, length]) => [from, Math.min(MOST, from + length)])));
/** The plain version: whether each unit step is inside the intervals. */
const cells = (all: Intervals): readonly boolean[] =>
  Array.from({ length: MOST }, (_, at) => all.some((from, k) => k % 2 === 0 && from <= at && at < (all[k + 1] ?? 0)));

describe('intervals are sets of moments', () => {
  it('joined, crossed, taken away and clipped', () => {
    void fc.assert(
      fc.property(intervals, intervals, fc.nat(MOST), fc.nat(MOST), (a, b, from, to) => {
        const [inA, inB] = [cells(a), cells(b)];
        expect(cells(union(a, b))).toEqual(inA.map((is, at) => is || inB[at] === true));
        expect(cells(intersect(a, b))).toEqual(inA.map((is, at) => is && inB[at] === true));
        expect(cells(subtract(a, b))).toEqual(inA.map((is, at) => is && inB[at] !== true));
        expect(cells(clip(a, from, to))).toEqual(inA.map((is, at) => is && from <= at && at < to));
        expect(total(a)).toBe(inA.filter((is) => is).length);
        for (const made of [union(a, b), intersect(a, b), subtract(a, b)]) {
          expect([...made].sort((x, y) => x - y)).toEqual(made);
        }
      }),
    );
  });
});
