/**
 * A rank's part in a collective, divided into waiting for the last rank, hidden behind computation, and exposed; and
 * which rank joins last. Pure; called by the scene.
 */
import type { RecordedCollective } from '../../../recordings/recording';
import type { Interval } from '../../../trace/intervals';
import { type Rect, right } from '../../draw/geometry';
import { type Blocks, inView } from './blocks';
import { cut, type Eye } from './eye';
import type { RankRow } from './recorded-layout';
import type { BlockScene, CollectiveScene } from './recorded-scene-types';

/** Narrower collectives are not divided. */
const NARROWEST_CUT = 4;
/** Parts that are at most this far apart are merged. */
const SMALLEST = 1.25;

/**
 * Ranks that join within this time count as simultaneous: queued collectives of a stream all begin when the previous
 * one is done.
 */
export const AT_ONCE_US = 1;

/** The last rank to join a collective, and when; none if all join at once. */
export function lastJoin({
  parts,
}: RecordedCollective): { readonly rank: number; readonly startUs: number } | undefined {
  const [last, before] = [...parts].sort((a, b) => b.startUs - a.startUs);
  return last && before && last.startUs - before.startUs >= AT_ONCE_US ? last : undefined;
}

function hiddenOf(eye: Eye, lane: Rect, busy: Blocks, stretch: Interval): readonly Rect[] {
  const joined: Rect[] = [];
  const [first, end] = inView(busy, Math.max(eye.fromUs, stretch.startUs), Math.min(eye.toUs, stretch.endUs));
  for (let i = first; i < end; i++) {
    const startUs = Math.max(busy.startUs[i] ?? 0, stretch.startUs);
    const rect = cut(eye, lane, { startUs, endUs: Math.min(busy.endUs[i] ?? 0, stretch.endUs) });
    const last = joined.at(-1);
    if (!rect) continue;
    if (last && rect.x - right(last) < SMALLEST) joined[joined.length - 1] = { ...last, width: right(rect) - last.x };
    else joined.push(rect);
  }
  return joined;
}

/** The parts of a rectangle in a lane that others leave free. */
function between(whole: Rect, taken: readonly Rect[]): readonly Rect[] {
  const left: Rect[] = [];
  let x = whole.x;
  for (const rect of taken) {
    if (rect.x - x > 0.5) left.push({ ...whole, x, width: rect.x - x });
    x = Math.max(x, right(rect));
  }
  if (right(whole) - x > 0.5) left.push({ ...whole, x, width: right(whole) - x });
  return left;
}

export function collectiveScene(eye: Eye, row: RankRow, lane: Rect, block: BlockScene): CollectiveScene {
  const { at, rect } = block;
  const collective = at ? eye.input.collectives[at.collective] : undefined;
  const part = collective?.parts.find(({ rank }) => rank === row.tracks.rank.rank);
  if (!collective || !part || rect.width < NARROWEST_CUT)
    return { ...block, collective: -1, waiting: undefined, hidden: [], exposed: [rect], lastAt: undefined };
  const last = lastJoin(collective);
  const joinedUs = Math.min(part.endUs, Math.max(part.startUs, last?.startUs ?? part.startUs));
  const waiting = cut(eye, lane, { startUs: part.startUs, endUs: joinedUs });
  const moving = cut(eye, lane, { startUs: joinedUs, endUs: part.endUs });
  const hidden = moving ? hiddenOf(eye, lane, row.tracks.compute, { startUs: joinedUs, endUs: part.endUs }) : [];
  return {
    ...block,
    collective: collective.id,
    waiting: waiting && waiting.width > SMALLEST ? waiting : undefined,
    hidden,
    exposed: moving ? between(moving, hidden) : [],
    lastAt: last?.rank === row.tracks.rank.rank ? eye.scale(part.startUs) : undefined,
  };
}
