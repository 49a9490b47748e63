/** The engine of both timelines: matches of a search in turn, selections by keys, and the window around a selection. */
import { describe, expect, it } from 'vitest';
import { indexAt, type LaneDirection, moveAlong, type SelectableLane } from './move-along';
import { nextMatch, type SelectedMatch } from './search-words';
import { withAir } from './view-window';

describe('the matches of a search', () => {
  const at = (place: number): SelectedMatch<number> => ({ is: (m) => m === place, isBefore: (m) => m < place });

  it('continue at the other end', () => {
    expect([nextMatch([2, 5], undefined, 1), nextMatch([2, 5], at(2), 1), nextMatch([2, 5], at(5), 1)]).toEqual([
      2, 5, 2,
    ]);
    expect([nextMatch([2, 5], undefined, -1), nextMatch([2, 5], at(2), -1), nextMatch([], at(2), 1)]).toEqual([
      5,
      5,
      undefined,
    ]);
  });

  it('begin at a selection that is no match', () => {
    expect([nextMatch([2, 5, 9], at(6), 1), nextMatch([2, 5, 9], at(6), -1)]).toEqual([9, 5]);
    expect([nextMatch([2, 5], at(6), 1), nextMatch([2, 5], at(1), -1)]).toEqual([2, 5]);
  });

  it('are left one by one if several begin at the same time', () => {
    const spans = ['a1', 'b1', 'c1', 'd2'];
    const selected = { is: (m: string) => m === 'b1', isBefore: (m: string) => m.slice(1) < '1' };
    expect([nextMatch(spans, selected, 1), nextMatch(spans, selected, -1)]).toEqual(['c1', 'a1']);
  });
});

describe('the selection by keys', () => {
  const lane = (name: string, ...stretches: readonly (readonly [number, number])[]): SelectableLane<string> => ({
    count: stretches.length,
    stretch(index) {
      const [startUs = 0, endUs = 0] = stretches[index] ?? [];
      return { startUs, endUs };
    },
    chosen: (index) => `${name}${index}`,
  });
  const lanes = [lane('a', [0, 4], [4, 10], [20, 30]), lane('b', [1, 2], [12, 14]), lane('c')];
  const from = (index: number, us: number, direction: LaneDirection, own = 0) =>
    moveAlong(lanes, { lane: own, index, us }, direction);

  it('goes along the lane and stops at its ends', () => {
    expect([from(1, 7, 'next'), from(1, 7, 'previous')]).toEqual(['a2', 'a0']);
    expect([from(2, 25, 'next'), from(0, 2, 'previous')]).toEqual([undefined, undefined]);
  });

  it('goes from a gap to the stretch after it and to the stretch before it', () => {
    const place = indexAt(lane('a', [0, 4], [4, 10], [20, 30]), 15);
    expect([from(place, 15, 'next'), from(place, 15, 'previous')]).toEqual(['a2', 'a1']);
  });

  it('goes to the nearest stretch of the lane above or below, if that lane has one', () => {
    expect([from(0, 2, 'below'), from(1, 6, 'below'), from(2, 25, 'below')]).toEqual(['b0', 'b0', 'b1']);
    expect([from(1, 13, 'above', 1), from(1, 17, 'above', 1)]).toEqual(['a1', 'a2']);
    expect([from(0, 2, 'above'), from(1, 13, 'below', 1)]).toEqual([undefined, undefined]);
  });
});

describe('the window around a selection', () => {
  it.each([
    [0.4, 0.6, 0.37, 0.63],
    [0, 0.2, 0, 0.23],
  ])('has a margin on both sides, and stays inside: %f to %f', (from, to, left, right) => {
    const view = withAir({ from, to });
    expect(view.from).toBeCloseTo(left, 9);
    expect(view.to).toBeCloseTo(right, 9);
  });
});
