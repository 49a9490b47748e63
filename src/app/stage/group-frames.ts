/**
 * One frame around the rooms of each tensor group, whose ranks compute every layer together. If the rooms of two groups
 * alternate, there are no frames. Pure; called by scene.ts.
 */
import { FACES } from '../../parallel/faces';
import type { Config } from '../../protocol/config';
import { meshSizes, placeOf, ranksAlong } from '../../protocol/mesh-sizes';
import { bottom, grow, overlaps, type Rect, right, type Size } from '../draw/geometry';

interface StageRooms extends Size {
  readonly rooms: readonly Rect[];
}

/** The space between a frame and the outermost edges of its rooms. */
const SPACE = 5;

export function groupFrames(config: Config, { rooms, ...stage }: StageRooms): readonly Rect[] {
  const shape = meshSizes(config);
  if (shape.tp === 1 || !FACES[config.mode].axes?.includes('tp')) return [];
  const frames = rooms.flatMap((_, rank) => {
    const place = placeOf(rank, shape);
    if (place.tp > 0) return [];
    const own = ranksAlong(['tp'], place, shape).flatMap((each) => rooms[each] ?? []);
    return [within(grow(around(own), SPACE), stage)];
  });
  return frames.some((a, i) => frames.some((b, j) => j < i && overlaps(a, b))) ? [] : frames;
}

function within(rect: Rect, { width, height }: Size): Rect {
  const [x, y] = [Math.max(0, rect.x), Math.max(0, rect.y)];
  return { x, y, width: Math.min(width, right(rect)) - x, height: Math.min(height, bottom(rect)) - y };
}

function around(rooms: readonly Rect[]): Rect {
  const x = Math.min(...rooms.map((room) => room.x));
  const y = Math.min(...rooms.map((room) => room.y));
  return { x, y, width: Math.max(...rooms.map(right)) - x, height: Math.max(...rooms.map(bottom)) - y };
}
