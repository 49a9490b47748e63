/**
 * Lays out chunks in a room that is too small for one row per chunk: one bar per chunk, in the number of lines that
 * makes the bars widest. A bar is filled in proportion to the ranks whose values are in the chunk, and has the sender's
 * hue while the chunk is sent or arrives. So 46 x 27 px show the progress of an all-reduce of 64 chunks. Pure; called
 * by chunk-layout.ts.
 */
import type { Rect } from '../draw/geometry';
import type { ChunkLayout, ChunkSpec, ChunksLayout } from './chunk-places';

/** In a lower row, values would be invisible. */
export const LOWEST_ROW = 3;
const SMALLEST = { width: 12, height: 4 };
const LINE_GAP = 1.5;
/** Bars that are at least this wide have a gap between them. */
const APART = 2;
/** A bar is easiest to read if it is this many times as high as wide. */
const UPRIGHT = 3;

export function crowdedChunks({ lengths }: ChunkSpec, area: Rect): ChunksLayout | undefined {
  const n = lengths.length;
  if (n === 0 || area.width < SMALLEST.width || area.height < SMALLEST.height) return undefined;
  const gridOf = (lines: number) => {
    const perLine = Math.ceil(n / lines);
    return { lines, perLine, width: area.width / perLine, height: area.height / lines - (lines > 1 ? LINE_GAP : 0) };
  };
  const shown = ({ width, height }: { width: number; height: number }) => Math.min(width, height / UPRIGHT);
  const grids = Array.from({ length: n }, (_, i) => gridOf(i + 1));
  const { perLine, width, height } = grids.reduce((a, b) => (shown(b) > shown(a) ? b : a));
  const step = height + LINE_GAP;
  const chunks = lengths.map((_, i): ChunkLayout => {
    const x = area.x + (i % perLine) * width;
    const y = area.y + Math.floor(i / perLine) * step;
    const bar = { x, y, width: Math.max(0.6, width - (width >= APART ? 0.8 : 0)), height: Math.min(height, 10) };
    return {
      frame: bar,
      cells: bar,
      columns: 1,
      rows: 1,
      count: 1,
      prints: false,
      bars: undefined,
      arrival: undefined,
      caption: undefined,
      worded: false,
    };
  });
  return { kind: 'levels', chunks };
}
