/** A stretch of a buffer that becomes one value: zeros of who has no gradient, ones that are counted. */
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { Slice } from '../../protocol/trace';

export function fill(lane: LaneBuilder, { buffer, offset, length }: Slice, value: number, where: Where): void {
  lane.compute('comm/fill', [], [buffer], { from: offset, length, value }, where);
}
