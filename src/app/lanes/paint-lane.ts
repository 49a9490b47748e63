/**
 * Paints the parts of lanes: the name and the background of a row with its idle stretches (dotted), labels in spans,
 * and marks. Decides nothing; called by the painters of both timelines.
 */
import { grow, type Rect } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { box } from '../draw/shapes';
import { drawText, firstFit, type TextStyle } from '../draw/text';

export const SMALL: TextStyle = { size: 11 };
const NAME: TextStyle = { size: 12 };
const LOWEST_NAME = 24;
const TEXT_INSET = 5;
/** From this height on, a row has room for a second line of its name. */
export const TWO_LINES = 34;
export const LOWEST_WITH_TEXT = 11;

/** The first of the labels that fits, longest first. */
export function paintLabel(ink: Ink, labels: readonly string[], rect: Rect, colour: string): void {
  if (rect.width < 12 || rect.height < LOWEST_WITH_TEXT) return;
  const text = firstFit(labels, rect.width - TEXT_INSET - 2, SMALL, ink.measure);
  drawText(ink, text, { x: rect.x + TEXT_INSET, y: rect.y + rect.height / 2 + 4 }, { ...SMALL, colour });
}

/** Paints a label on a plain plate, for spans with a patterned background. */
export function paintPlate(ink: Ink, labels: readonly string[], rect: Rect, ground: string): void {
  const text = firstFit(labels, rect.width - 2 * TEXT_INSET, SMALL, ink.measure);
  if (text === '') return;
  const width = ink.measure(text, SMALL) + 6;
  box(
    ink.context,
    { x: rect.x + TEXT_INSET - 3, y: rect.y + 1, width, height: rect.height - 2 },
    { fill: ground, radius: 2 },
  );
  paintLabel(ink, [text], { ...rect, width: rect.width + TEXT_INSET }, ink.palette.ink);
}

export interface LaneGround {
  /** Gives the row its hue. */
  readonly rank: number;
  readonly title: string;
  /** The second line of the name, if there is room for two. */
  readonly detail: string;
  readonly name: Rect;
  readonly ground: Rect;
  /** The idle stretches. */
  readonly idle: readonly Rect[];
}

export function paintGround(ink: Ink, { rank, title, detail, name, ground, idle }: LaneGround): void {
  const { palette, context } = ink;
  const colour = palette.ranks[rank % palette.ranks.length] ?? palette.ink;
  const two = name.height >= TWO_LINES && detail !== '';
  const x = name.x + 11;
  box(context, { x: name.x, y: name.y + 2, width: 3.5, height: name.height - 4 }, { fill: colour });
  drawText(
    ink,
    title,
    { x, y: two ? name.y + 15 : name.y + name.height / 2 + 4 },
    { ...(name.height < LOWEST_NAME ? SMALL : NAME), colour: palette.ink },
  );
  if (two) drawText(ink, detail, { x, y: name.y + 29 }, { ...SMALL, colour: palette.soft });
  box(context, ground, { fill: palette.track, radius: 4 });
  const dots = ink.hatch({ pattern: 'waiting', ground: palette.track, ink: palette.soft, pitch: 4, width: 1.1 });
  for (const gap of idle) if (gap.width > 2) box(context, gap, { fill: dots, radius: 2 });
}

const VEIL = 0.76;

/** A veil over the spans that a search does not find. */
export function paintVeil({ context, palette }: Ink, rects: Iterable<Rect>): void {
  context.save();
  context.globalAlpha = VEIL;
  for (const rect of rects) box(context, grow(rect, 0.5), { fill: palette.track });
  context.restore();
}

/** Frames the selection, and with a thinner line the items under the pointer. */
export function paintChosen(
  { context, palette }: Ink,
  { selected, pointed }: { readonly selected: readonly Rect[]; readonly pointed: readonly Rect[] },
): void {
  for (const rect of selected) box(context, grow(rect, 2), { stroke: palette.accent, lineWidth: 2.5, radius: 4 });
  for (const rect of pointed) box(context, grow(rect, 2), { stroke: palette.accent, lineWidth: 1.5, radius: 4 });
}
