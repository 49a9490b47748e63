/**
 * The top of the timeline, which stays when its lanes scroll: the whole step in small with a frame around what the
 * lanes show, the axis, and the cursor's handle. Decides nothing.
 */
import { bottom } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { phaseColour } from '../draw/phase-colour';
import { box, line } from '../draw/shapes';
import { drawText, firstFit, type TextStyle } from '../draw/text';
import type { LaneParts } from './lane-parts';
import type { TimelineScene } from './timeline-scene';
import type { ViewWindow } from './view-window';

const SMALL: TextStyle = { size: 11 };

function overview(ink: Ink, { layout, cursorShare }: TimelineScene, parts: LaneParts, view: ViewWindow): void {
  const { context, palette } = ink;
  const at = layout.overview;
  const rowHeight = at.height / Math.max(1, parts.devices.length);
  const perUs = at.width / Math.max(1e-9, parts.totalUs);
  box(context, at, { fill: palette.track, radius: 2 });
  parts.devices.forEach(({ compute, comm }, row) => {
    const y = at.y + row * rowHeight;
    const bar = (span: { readonly startUs: number; readonly endUs: number }, fill: string, height: number) => {
      context.fillStyle = fill;
      context.fillRect(
        at.x + span.startUs * perUs,
        y + rowHeight - height,
        Math.max(0.5, (span.endUs - span.startUs) * perUs),
        height,
      );
    };
    for (const run of compute) bar(run, palette.phase[phaseColour(run.of.phase, true)].fill, rowHeight);
    for (const run of comm) bar(run, palette.phase.comm.edge, Math.max(1, rowHeight / 2));
  });
  const drawn = { y: at.y - 2, height: at.height + 4 };
  const frame = { ...drawn, x: at.x + view.from * at.width, width: Math.max(4, (view.to - view.from) * at.width) };
  context.save();
  context.globalAlpha = 0.6;
  for (const side of [
    { ...drawn, x: at.x, width: frame.x - at.x },
    { ...drawn, x: frame.x + frame.width, width: at.x + at.width - frame.x - frame.width },
  ]) {
    if (side.width > 0.5) box(context, side, { fill: palette.paper });
  }
  context.restore();
  box(context, frame, { stroke: palette.accent, lineWidth: 1.5, radius: 3 });
  if (cursorShare !== undefined) {
    context.fillStyle = palette.accent;
    context.fillRect(at.x + cursorShare * at.width - 0.5, at.y, 1, at.height);
  }
  const name = firstFit(['whole step', 'step'], at.x - 14, SMALL, ink.measure);
  drawText(ink, name, { x: at.x - 8, y: at.y + at.height - 2 }, { ...SMALL, colour: palette.soft, align: 'right' });
}

/** `top`: by how much the lanes are scrolled. */
export function paintHead(
  ink: Ink,
  scene: TimelineScene,
  shown: { readonly parts: LaneParts; readonly view: ViewWindow; readonly top: number },
): void {
  const { palette, context } = ink;
  const { layout, ticks } = scene;
  context.save();
  context.translate(0, shown.top);
  box(context, { x: 0, y: 0, width: layout.width, height: bottom(layout.axis) - 1 }, { fill: palette.paper });
  overview(ink, scene, shown.parts, shown.view);
  for (const { x, text } of ticks) {
    const align = x > layout.right - 30 ? 'right' : x < layout.left + 20 ? 'left' : 'center';
    drawText(ink, text, { x, y: layout.axis.y + 13 }, { ...SMALL, colour: palette.soft, align });
  }
  cursorHandle(ink, scene);
  context.restore();
}

function cursorHandle({ context, palette }: Ink, { cursorX, layout }: TimelineScene): void {
  if (cursorX === undefined) return;
  context.beginPath();
  context.arc(cursorX, bottom(layout.axis) - 4, 4.5, 0, 2 * Math.PI);
  context.fillStyle = palette.accent;
  context.fill();
}

/** The lines of the axis behind the lanes. */
export function paintGrid({ context, palette }: Ink, { ticks, layout, rows }: TimelineScene): void {
  const last = rows.at(-1);
  const low = last ? bottom(last.row.ground) : layout.height;
  for (const { x } of ticks) {
    line(
      context,
      [
        { x, y: bottom(layout.axis) - 4 },
        { x, y: low },
      ],
      { colour: palette.line, width: 1, alpha: 0.55 },
    );
  }
}
