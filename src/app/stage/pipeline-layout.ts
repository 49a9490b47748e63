/**
 * Lays out the body of a pipeline rank's room: the weights, the count of summed micro-batches, the kept micro-batches,
 * and in the last stage their losses. Small rooms leave out explanations first. Pure; called by room-content.ts.
 */
import { bottom, type Rect } from '../draw/geometry';
import type { RoomLevel } from './room-layout';

export interface StageLayoutOfRoom {
  readonly sumsLabel: Rect | undefined;
  readonly sums: Rect | undefined;
  readonly keptLabel: Rect | undefined;
  readonly kept: Rect;
  readonly lossesLabel: Rect | undefined;
  readonly losses: Rect | undefined;
}

const LABEL = 17;
const SUMS = 8;
const GAP = 6;
const LOSSES = 48;
/** The share of the body that the weights take. */
const WEIGHTS = { whole: 0.42, compact: 0.4, glyph: 0 } as const;
/** From this height on, losses have a place below the kept micro-batches. */
const HIGH = 190;

export function layoutStageRoom(
  main: Rect,
  level: RoomLevel,
): { readonly weights: Rect | undefined; readonly stage: StageLayoutOfRoom } {
  const { x, width } = main;
  if (level === 'glyph' && main.width >= WIDE_GLYPH) return besideWeights(main, BESIDE, false);
  if (level === 'compact' && main.width >= WIDE_COMPACT && main.width > WIDER * main.height)
    return besideWeights(main, BESIDE_COMPACT, true);
  const high = WEIGHTS[level] * main.height;
  const weights = high >= 24 ? { ...main, height: high - GAP } : undefined;
  let y = weights ? main.y + high : main.y;
  const low = bottom(main);
  const take = (height: number, gap: number): Rect => {
    const rect = { x, y, width, height };
    y += height + gap;
    return rect;
  };
  const worded = level === 'whole' && low - y >= 96;
  const sumsLabel = worded ? take(LABEL, 0) : undefined;
  const sums = level !== 'glyph' && low - y >= 40 ? take(level === 'whole' ? SUMS : 5, GAP) : undefined;
  const keptLabel = worded ? take(LABEL, 2) : undefined;
  const hasLosses = level === 'whole' && main.height >= HIGH;
  const end = hasLosses ? low - LOSSES - LABEL - GAP : low;
  const kept = { x, y, width, height: Math.max(0, end - y) };
  const lossesLabel = hasLosses ? { x, y: low - LOSSES - LABEL, width, height: LABEL } : undefined;
  const losses = hasLosses ? { x, y: low - LOSSES, width, height: LOSSES } : undefined;
  return { weights, stage: { sumsLabel, sums, keptLabel, kept, lossesLabel, losses } };
}

/** From this width on, a low room has its weights left of the kept micro-batches; below, the weights' share. */
const WIDE_GLYPH = 200;
const BESIDE = 0.24;
/** The same for a room wider than high, whose weights would be tiny above the kept micro-batches. */
const WIDE_COMPACT = 120;
const WIDER = 1.2;
const BESIDE_COMPACT = 0.4;

function besideWeights(main: Rect, part: number, summed: boolean): ReturnType<typeof layoutStageRoom> {
  const wide = part * main.width;
  const right = { ...main, x: main.x + wide, width: main.width - wide };
  const sums = summed ? { ...right, height: 5 } : undefined;
  const above = sums ? sums.height + GAP : 0;
  return {
    weights: { ...main, width: wide - 2 * GAP },
    stage: {
      sumsLabel: undefined,
      sums,
      keptLabel: undefined,
      kept: { ...right, y: right.y + above, height: right.height - above },
      lossesLabel: undefined,
      losses: undefined,
    },
  };
}

const TILE = { width: 54, height: 20 };
const TILE_GAP = 4;

/** Tiles for this many micro-batches, in rows filled from the left; only as many as fit. */
export function layoutTiles(area: Rect, count: number): readonly Rect[] {
  if (count === 0 || area.height < 8 || area.width < 12) return [];
  const columnsFor = (rows: number): number => Math.ceil(count / rows);
  const mostRows = Math.max(1, Math.floor((area.height + TILE_GAP) / (TILE.height + TILE_GAP)));
  // As few columns as possible: wide tiles show more values.
  const rows = Math.min(mostRows, count);
  const columns = columnsFor(rows);
  const width = (area.width - TILE_GAP * (columns - 1)) / columns;
  const height = Math.min(TILE.height + 6, (area.height - TILE_GAP * (rows - 1)) / rows);
  return Array.from({ length: count }, (_, i) => ({
    x: area.x + (i % columns) * (width + TILE_GAP),
    y: area.y + Math.floor(i / columns) * (height + TILE_GAP),
    width,
    height,
  })).filter((rect) => rect.width >= 5);
}
