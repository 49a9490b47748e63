/**
 * Browsers quantise GPU timestamps (Dawn: to 65.5 us), so many short passes have the same stamp. Their true positions
 * within one tick of the clock are unknown: this code places them end to end, with equal lengths, up to the next tick.
 * Ticks, order and sums are measured; only the division of a tick is not. Stamps that differ stay unchanged. Used by
 * the timestamp log.
 */
import { at } from '../../base/invariant';

export interface TickSpan {
  readonly startUs: number;
  readonly durUs: number;
}

/** `stampsUs`: begin and end of each pass in turn, in the order in which they ran. */
export function spreadTicks(stampsUs: readonly number[]): readonly TickSpan[] {
  const times: number[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  for (const stamp of stampsUs) {
    latest = Math.max(latest, stamp);
    times.push(latest);
  }
  const spread: number[] = [];
  let tick = 0;
  for (let first = 0; first < times.length; ) {
    let end = first;
    while (end < times.length && times[end] === times[first]) end++;
    const start = at(times, first);
    // The last run has no next tick: it gets the length of the shortest tick seen.
    const next = times[end];
    const length = next === undefined ? tick : next - start;
    tick = tick === 0 ? length : Math.min(tick, length);
    // A tick is divided among the passes that run in it: those that begin in it, and one that began before.
    const parts = passesIn(first, end);
    let done = 0;
    for (let i = first; i < end; i++) {
      if (i % 2 === 1 && end - first > 1) done++;
      spread.push(start + (parts === 0 ? 0 : (length * done) / parts));
    }
    first = end;
  }
  return Array.from({ length: spread.length / 2 }, (_, pass) => {
    const startUs = at(spread, pass * 2);
    return { startUs, durUs: at(spread, pass * 2 + 1) - startUs };
  });
}

/** Number of passes within the boundaries [first, end) of one tick, including a pass that continues. */
function passesIn(first: number, end: number): number {
  if (end - first <= 1) return 0;
  const ends = Math.floor(end / 2) - Math.floor(first / 2);
  const runsOn = end % 2 === 1 ? 1 : 0;
  return ends + runsOn;
}
