/**
 * Moves a selection over lanes by keys: along its lane, or to the lane above or below at the same time. Pure; each
 * timeline lists its lanes and finds its selection in them.
 */
import type { Interval } from '../../trace/intervals';

/** A lane of stretches that are in order of time and do not overlap. */
export interface SelectableLane<Chosen> {
  readonly count: number;
  stretch(index: number): Interval;
  chosen(index: number): Chosen;
}

export type LaneDirection = 'next' | 'previous' | 'above' | 'below';

/** `index` ends in a half for a time between two stretches of the lane. */
export interface LanePlace {
  readonly lane: number;
  readonly index: number;
  readonly us: number;
}

/** The selection after a key; undefined at the end of a lane and at the last lane. */
export function moveAlong<Chosen>(
  lanes: readonly SelectableLane<Chosen>[],
  { lane, index, us }: LanePlace,
  direction: LaneDirection,
): Chosen | undefined {
  if (direction === 'above' || direction === 'below') {
    const other = lanes[lane + (direction === 'below' ? 1 : -1)];
    return other && other.count > 0 ? other.chosen(nearest(other, us)) : undefined;
  }
  const own = lanes[lane];
  const next = direction === 'next' ? Math.floor(index + 1) : Math.ceil(index - 1);
  return own && next >= 0 && next < own.count ? own.chosen(next) : undefined;
}

/** The index of the first stretch that ends after a time. */
function endsAfter({ count, stretch }: SelectableLane<unknown>, us: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (stretch(middle).endUs > us) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The index of the stretch at a time; between two stretches, the number halfway between their indices. */
export function indexAt(lane: SelectableLane<unknown>, us: number): number {
  const index = endsAfter(lane, us);
  return index < lane.count && lane.stretch(index).startUs <= us ? index : index - 0.5;
}

function nearest(lane: SelectableLane<unknown>, us: number): number {
  const after = endsAfter(lane, us);
  if (after === lane.count) return after - 1;
  const isBefore = after > 0 && us - lane.stretch(after - 1).endUs < lane.stretch(after).startUs - us;
  return isBefore ? after - 1 : after;
}
