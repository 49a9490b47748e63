/** Fills a stretch of a buffer with one value: zeros for parameters without gradient, ones that ranks count. */
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { Slice } from '../../protocol/trace';

export function fill(lane: LaneBuilder, { buffer, offset, length }: Slice, value: number, where: Where): void {
  lane.compute('comm/fill', [], [buffer], { from: offset, length, value }, where);
}
