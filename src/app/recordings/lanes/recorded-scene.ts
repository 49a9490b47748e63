/**
 * A recording seen through a window: blocks as rectangles (blocks that share a pixel are merged), idle stretches, steps
 * as bands. Pure; paint-recorded.ts paints it, and the pointer finds items in it.
 */
import type { Interval } from '../../../trace/intervals';
import type { Rect } from '../../draw/geometry';
import { timeScale, timeTicks } from '../../lanes/time-axis';
import { type Blocks, blockAt, inView } from './blocks';
import { collectiveScene } from './collective-scene';
import { cut, type Eye } from './eye';
import type { PlacedTrack, RankRow, RecordedLayout } from './recorded-layout';
import type {
  BlockScene,
  RankScene,
  RecordedInput,
  RecordedItem,
  RecordedScene,
  SpanAt,
  TrackScene,
} from './recorded-scene-types';
import { NARROWEST_BAND, NARROWEST_NUMBER, numbered, stepsWideEnough } from './step-bands';

/** In pixels: narrower blocks are merged into a crowd. */
const SMALLEST = 1.25;
/** The widest crowd in pixels, so that its colour represents its blocks. */
const WIDEST_CROWD = 3;

export const spanId = ({ rank, lane, span }: SpanAt): string => `${rank}:${lane}:${span}`;

/** Spans that share a pixel. */
interface Crowd {
  readonly x: number;
  end: number;
  count: number;
  readonly startUs: number;
  endUs: number;
  /** The tone and the length of the crowd's longest span. */
  tone: number;
  longestUs: number;
}

/** The blocks in view; neighbours narrower than a pixel are merged. */
function blockScenes(eye: Eye, row: RankRow, { blocks, rect: lane }: PlacedTrack, items: RecordedItem[]): BlockScene[] {
  const rank = row.tracks.index;
  const { layout } = eye.input;
  const found: BlockScene[] = [];
  let crowd: Crowd | undefined;
  const close = () => {
    if (!crowd) return;
    const { x, end, tone, count, startUs, endUs } = crowd;
    const rect = { ...lane, x, width: Math.max(0.75, end - x) };
    found.push({ rect, tone, at: undefined });
    const stretch = { startUs, endUs };
    items.push({ id: `crowd ${rank} ${lane.y} ${startUs}`, rect, found: { kind: 'crowd', rank, count, stretch } });
    crowd = undefined;
  };
  const [first, end] = inView(blocks, eye.fromUs, eye.toUs);
  for (let index = first; index < end; index++) {
    // Half a million blocks may be in view: an object is made only for visible ones.
    const startUs = blocks.startUs[index] ?? 0;
    const endUs = blocks.endUs[index] ?? 0;
    const x = Math.max(layout.left, eye.scale(startUs));
    const right = Math.min(layout.right, eye.scale(endUs));
    const small = eye.scale(endUs) - eye.scale(startUs) < SMALLEST;
    if (small && crowd && x - crowd.end < SMALLEST && right - crowd.x < WIDEST_CROWD) {
      crowd.end = Math.max(crowd.end, right);
      crowd.endUs = endUs;
      crowd.count++;
      if (endUs - startUs > crowd.longestUs) {
        crowd.longestUs = endUs - startUs;
        crowd.tone = blocks.tone[index] ?? 0;
      }
      continue;
    }
    close();
    const { tone, lane: of, span, collective } = blockAt(blocks, index);
    if (small) crowd = { x, end: right, count: 1, startUs, endUs, tone, longestUs: endUs - startUs };
    else if (right > x) {
      const at: SpanAt = { rank, lane: of, span, collective };
      const rect = { ...lane, x, width: Math.max(0.75, right - x) };
      found.push({ rect, tone, at });
      items.push({ id: spanId(at), rect, found: { kind: 'span', at } });
    }
  }
  close();
  return found;
}

function trackScene(eye: Eye, row: RankRow, placed: PlacedTrack, items: RecordedItem[]): TrackScene {
  const blocks = blockScenes(eye, row, placed, items);
  const communicates = placed.kind === 'communication';
  const runs = placed.kind === 'compute' ? row.tracks.runs : [];
  return {
    placed,
    blocks: communicates ? [] : blocks,
    collectives: communicates ? blocks.map((block) => collectiveScene(eye, row, placed.rect, block)) : [],
    runs: runs.flatMap(({ startUs, endUs, tone }) => {
      const rect = cut(eye, placed.rect, { startUs, endUs });
      return rect && rect.width > 12 ? [{ rect, tone }] : [];
    }),
  };
}

function rankScene(eye: Eye, row: RankRow, items: RecordedItem[]): RankScene {
  const { index, gaps, steps } = row.tracks;
  const seen = gaps.flatMap((gap) => {
    const rect = cut(eye, row.ground, gap);
    return rect && rect.width > 2 ? [{ rect, gap }] : [];
  });
  for (const { rect, gap } of seen)
    items.push({ id: `idle ${index} ${gap.startUs}`, rect, found: { kind: 'idle', rank: index, gap } });
  const tracks = row.placed.map((placed) => trackScene(eye, row, placed, items));
  const marked = stepsWideEnough(eye, steps, NARROWEST_BAND) ? steps.filter((step) => step.marked) : [];
  const { left, right: end } = eye.input.layout;
  return {
    row,
    tracks,
    gaps: seen,
    bands: marked.flatMap((step, i) => (i % 2 === 1 ? (cut(eye, row.ground, step) ?? []) : [])),
    rules: marked.map(({ startUs }) => eye.scale(startUs)).filter((x) => x >= left - 0.5 && x <= end),
  };
}

export function recordedScene(input: RecordedInput): RecordedScene {
  const { layout, view, totalUs } = input;
  const scale = timeScale(layout, totalUs, view);
  const eye: Eye = { input, scale, fromUs: view.from * totalUs, toUs: view.to * totalUs };
  const items: RecordedItem[] = [];
  const rows = layout.rows.map((row) => rankScene(eye, row, items));
  const steps = numbered(eye, layout.rows[0]?.tracks.steps ?? []).flatMap((step) => {
    const rect = step.marked ? cut(eye, layout.steps, step) : undefined;
    return rect ? [{ x: rect.x, width: Math.max(rect.width, NARROWEST_NUMBER), step: step.step }] : [];
  });
  return {
    layout,
    rows,
    steps,
    ticks: timeTicks(layout, totalUs, view),
    cursorX: undefined,
    cursorShare: undefined,
    items,
  };
}

/** The track that shows a span: as its own block, or as a part of the enclosing block. */
export function trackOf({ rows }: RecordedLayout, { rank, lane, span }: SpanAt, stretch: Interval): Rect | undefined {
  const row = rows[rank];
  if (!row) return undefined;
  const has = ({ blocks }: PlacedTrack): boolean => {
    const [first, end] = inView(blocks, stretch.startUs - 1e-3, stretch.endUs + 1e-3);
    for (let i = first; i < end; i++) if (blocks.lane[i] === lane && blocks.span[i] === span) return true;
    return false;
  };
  return (row.placed.find(has) ?? row.placed.find(({ kind, blocks }) => kind === 'compute' && covers(blocks, stretch)))
    ?.rect;
}

const covers = (blocks: Blocks, { startUs, endUs }: Interval): boolean => {
  const [first, end] = inView(blocks, startUs, endUs);
  return end > first;
};
