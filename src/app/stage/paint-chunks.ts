/**
 * Paints the chunks of a room: values, one bar for each rank whose values are in the chunk, a frame in the sender's
 * hue, and above a sum the values that have just arrived, in the sender's hue. Decides nothing.
 */
import { type Rect, right } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { box } from '../draw/shapes';
import { drawText, firstFit } from '../draw/text';
import { inUnits } from '../draw/value-scale';
import { type ChunkArrival, hasRank, type RankSet } from './exchanges';
import { rankColour, SMALL } from './paint-card';
import { paintMap } from './paint-map';
import type { ChunkScene, ChunksScene } from './scene-types';

/** Paints a place for each rank, filled in the rank's hue if its values are in the chunk. */
function bars(ink: Ink, at: Rect, ranks: RankSet, places: number): void {
  const { context, palette } = ink;
  const upright = at.height > 8;
  const width = at.width / places;
  const gap = width > 3 ? 1 : 0;
  for (let rank = 0; rank < places; rank++) {
    const x = at.x + rank * width;
    const is = hasRank(ranks, rank);
    context.fillStyle = is ? rankColour(ink, rank) : palette.line;
    if (is) context.fillRect(x, at.y, Math.max(0.8, (upright ? Math.min(width, 5) : width) - gap), at.height);
    else context.fillRect(x, at.y + at.height - 1, Math.max(0.8, width - gap), 1);
  }
}

function arrived(ink: Ink, at: Rect, { map }: ChunkScene, { from, values, adds }: ChunkArrival): void {
  if (!values || map.unit === undefined || !map.cells || map.cells.rows > 1) return;
  const width = map.rect.width / map.cells.columns;
  const colour = rankColour(ink, from);
  for (let i = 0; i < Math.min(values.length, map.cells.columns); i++) {
    const text = inUnits(values[i] ?? 0, map.unit);
    const sign = adds && !text.startsWith('−') ? '+' : '';
    const place = { x: at.x + (i + 0.5) * width, y: at.y + at.height - 2 };
    drawText(ink, sign + text, place, { size: 11, mono: true, weight: 700, colour, align: 'center' });
  }
}

function caption(ink: Ink, at: Rect, { at: layout, name, holds, sends, arrival }: ChunkScene, tiles: boolean): void {
  const { palette, measure } = ink;
  const busy = sends || arrival !== undefined;
  const colour = busy ? palette.ink : palette.soft;
  const style = { ...SMALL, weight: busy ? 600 : 400 };
  const y = at.y + at.height - 4;
  if (!layout.worded) {
    const short = name.at(-1) ?? '';
    if (measure(short, style) <= at.width + 2) drawText(ink, short, { x: at.x, y: at.y + 10 }, { ...style, colour });
    return;
  }
  if (tiles) {
    drawText(ink, firstFit(holds, at.width + 4, SMALL, measure), { x: at.x, y }, { ...style, colour });
    return;
  }
  const left = firstFit(name, at.width * 0.5, style, measure);
  drawText(ink, left, { x: at.x, y }, { ...style, colour });
  const free = at.width - measure(left, style) - 10;
  const text = holds.find((t) => measure(t, SMALL) <= free) ?? '';
  drawText(ink, text, { x: right(at), y }, { ...SMALL, colour, align: 'right' });
}

function chunk(ink: Ink, scene: ChunkScene, { kind, ranks }: ChunksScene, device: number): void {
  const { context } = ink;
  const { at, map, sends, arrival } = scene;
  if (at.arrival && arrival?.there) arrived(ink, at.arrival, scene, arrival);
  if (!at.framesOnly) paintMap(ink, map, arrival?.there === true);
  if (at.bars) bars(ink, at.bars, scene.ranks, ranks);
  const lineWidth = at.frame.height < 8 ? 1 : at.frame.height < 18 ? 1.5 : 2;
  const radius = Math.min(4, at.frame.height / 3);
  if (sends) box(context, at.frame, { stroke: rankColour(ink, device), lineWidth, radius });
  else if (arrival)
    box(context, at.frame, {
      stroke: rankColour(ink, arrival.from),
      lineWidth,
      radius,
      dash: arrival.there ? [] : [4, 3],
    });
  if (at.caption) caption(ink, at.caption, scene, kind === 'tiles');
}

/** The least height of a fill, so that one rank's values among many remain visible. */
const LEAST = 0.8;

/** Paints one bar: how many ranks' values are in the chunk, in the sender's hue while it is sent. */
function level(ink: Ink, { at, part, sends, arrival }: ChunkScene, device: number): void {
  const { context, palette } = ink;
  const { x, y, width, height } = at.frame;
  const moves = sends ? device : arrival?.from;
  if (moves !== undefined) {
    context.fillStyle = rankColour(ink, moves);
    context.fillRect(x, y, width, height);
    return;
  }
  context.fillStyle = palette.track;
  context.fillRect(x, y, width, height);
  context.fillStyle = part < 1 ? palette.phase.comm.fill : palette.phase.comm.edge;
  const filled = part > 0 ? Math.max(LEAST, part * height) : 0;
  context.fillRect(x, y + height - filled, width, filled);
}

export function paintChunks(ink: Ink, scene: ChunksScene, device: number): void {
  for (const own of scene.chunks) {
    if (scene.kind === 'levels') level(ink, own, device);
    else chunk(ink, own, scene, device);
  }
}
