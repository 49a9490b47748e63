/** Paints the parts that every room has: its card, the bar in its rank's hue, its title. Decides nothing. */

import type { Brush } from '../draw/brush';
import type { Rect } from '../draw/geometry';
import { type BoxStyle, box } from '../draw/shapes';
import { drawText, firstFit, type MeasureText, type TextStyle } from '../draw/text';
import type { RoomFrame, RoomLevel } from './room-layout';

export const SMALL: TextStyle = { size: 11 };
const TITLES: Readonly<Record<RoomLevel, TextStyle>> = {
  whole: { size: 13.5, weight: 600 },
  compact: { size: 12, weight: 600 },
  glyph: { size: 11, weight: 600 },
};

export const titleStyle = ({ level }: RoomFrame): TextStyle => TITLES[level];

export const rankColour = ({ palette }: Brush, device: number): string =>
  palette.ranks[device % palette.ranks.length] ?? palette.ink;

export function paintCard({ context }: Brush, rect: Rect, style: BoxStyle): void {
  box(context, rect, { lineWidth: 1, radius: Math.min(10, rect.height / 8), ...style });
}

interface Head {
  readonly device: number;
  readonly rect: Rect;
  readonly frame: RoomFrame;
  readonly title: string;
  readonly subtitles: readonly string[];
}

/**
 * A rank's name, or only its number if 'rank 10' would be cut to 'rank…'. Every room measures a name with two digits,
 * so that all rooms of one size have the same kind of name.
 */
function titlesOf(title: string, width: number, style: TextStyle, measure: MeasureText): readonly string[] {
  const number = /\d+$/.exec(title)?.[0];
  if (number === undefined) return [title];
  const two = title.replace(/\d+$/, (digits) => digits.padStart(2, '0'));
  return measure(two, style) <= width ? [title] : [number];
}

export function paintHead(
  brush: Brush,
  { device, rect, frame, title, subtitles }: Head,
  hue = rankColour(brush, device),
): void {
  const { palette, context, measure } = brush;
  const { header, subtitle, level } = frame;
  const style = titleStyle(frame);
  box(context, { x: rect.x, y: header.y + 2, width: 3.5, height: level === 'whole' ? 28 : 14 }, { fill: hue });
  const text = firstFit(titlesOf(title, header.width, style, measure), header.width, style, measure);
  drawText(
    brush,
    text,
    { x: header.x, y: header.y + (level === 'glyph' ? 11 : 14) },
    { ...style, colour: palette.ink },
  );
  if (!subtitle || level === 'glyph') return;
  const below = firstFit(subtitles, subtitle.width, SMALL, measure);
  drawText(brush, below, { x: subtitle.x, y: subtitle.y + 11 }, { ...SMALL, colour: palette.soft });
}
