/** Paints a pipeline rank's micro-batches. Decides nothing. Called by paint-room.ts. */
import { bottom } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { box } from '../draw/shapes';
import { drawText, type TextStyle } from '../draw/text';
import { paintMap } from './paint-map';
import type { StageScenePart } from './scene-types';

const NUMBER: TextStyle = { size: 11.5, weight: 600 };
const GONE_ALPHA = 0.45;

export function paintStagePart(ink: Ink, { sums, kept, free, losses }: StageScenePart): void {
  const { palette, context } = ink;
  const { backward } = palette.phase;
  for (const { rect, done } of sums) box(context, rect, { fill: done ? backward.edge : palette.track, radius: 2 });
  for (const rect of free) box(context, rect, { stroke: palette.line, radius: 3, dash: [3, 3] });
  for (const { rect, text, map, now, gone } of kept) {
    context.save();
    if (gone) context.globalAlpha = GONE_ALPHA;
    box(context, rect, {
      fill: palette.card,
      stroke: now ? palette.accent : palette.line,
      lineWidth: now ? 2 : 1,
      radius: 3,
      dash: gone ? [3, 3] : [],
    });
    const narrow = map === undefined;
    const at = { x: narrow ? rect.x + rect.width / 2 : rect.x + 6, y: rect.y + rect.height / 2 + 4 };
    // A number that does not fit is left out.
    if (rect.height >= NUMBER.size && ink.measure(text, NUMBER) <= rect.width - 2)
      drawText(ink, text, at, { ...NUMBER, colour: palette.ink, align: narrow ? 'center' : 'left' });
    if (map) paintMap(ink, map);
    context.restore();
  }
  for (const { rect, bar } of losses) {
    box(context, { ...rect, y: bottom(rect) - 1, height: 1 }, { fill: palette.line });
    if (bar) box(context, bar, { fill: palette.soft, radius: 1 });
  }
}
