import { describe, expect, it } from 'vitest';
import { totalUs } from './lanes';
import { byMoments } from './moments/moments';
import { makeTrace, slice, transfer } from './testing/make-trace';
import { createWalkTime } from './walk-time';

/** Two ranks, of which the canonical order lets the first run ahead. */
const ahead = makeTrace([
  { id: 0, device: 0, name: 'a', us: [0, 4] },
  { id: 1, device: 0, name: 'b', us: [4, 8] },
  { id: 2, device: 1, name: 'a', us: [0, 4] },
  { id: 3, device: 1, name: 'b', us: [4, 10] },
  ...transfer([4, 5], 0, 1, { slice: slice('g', 0, 2), us: [8, 12], recvUs: [10, 14] }),
  ...transfer([6, 7], 1, 0, { slice: slice('g', 2, 2), us: [10, 14], recvUs: [10, 16] }),
]);

describe('createWalkTime', () => {
  it.each(['modelled', 'measured'] as const)('%s: time never goes back while the cursor walks on', (clock) => {
    for (const trace of [ahead, byMoments(ahead)]) {
      const walk = createWalkTime(trace, clock);
      let last = 0;
      trace.events.forEach((_, event) => {
        for (const fraction of [0, 0.25, 0.5, 1]) {
          const time = walk.timeOf({ event, fraction });
          expect(time).toBeGreaterThanOrEqual(last);
          last = time;
        }
      });
      expect(last).toBe(totalUs(trace, clock));
    }
  });

  it('lets events that begin together share the time until the next', () => {
    const walk = createWalkTime(byMoments(ahead), 'modelled');
    expect([0, 1, 2, 3].map((event) => walk.timeOf({ event, fraction: 1 }))).toEqual([2, 4, 6, 8]);
  });

  it('finds the position of a time again', () => {
    const walk = createWalkTime(byMoments(ahead), 'modelled');
    for (let us = 0.5; us < 16; us += 0.5) expect(walk.timeOf(walk.positionAt(us))).toBeCloseTo(us, 9);
    expect(walk.positionAt(0)).toEqual({ event: -1, fraction: 1 });
  });

  it('works for a step without events', () => {
    const walk = createWalkTime(makeTrace([]), 'modelled');
    expect(walk.timeOf({ event: -1, fraction: 1 })).toBe(0);
    expect(walk.positionAt(3)).toEqual({ event: -1, fraction: 1 });
  });
});
