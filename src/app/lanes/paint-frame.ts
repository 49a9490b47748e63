/**
 * Paints the frame of lanes over time: the overview with a frame around the visible part, the axis and its lines, the
 * cursor, and the stretch that the user is dragging along the axis. The head stays when the lanes scroll. Decides
 * nothing.
 */
import { bottom } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import type { ScaleInterval } from '../draw/scales';
import { box, line } from '../draw/shapes';
import { drawText, firstFit, type TextStyle } from '../draw/text';
import type { LanesScene } from './lanes';
import type { ViewWindow } from './view-window';

const SMALL: TextStyle = { size: 11 };

/** A bar in the overview; `share`: its part of the row's height, from below. */
export interface OverviewBar {
  readonly startUs: number;
  readonly endUs: number;
  readonly fill: string;
  readonly share: number;
}

export interface Overview {
  readonly totalUs: number;
  /** The bars of each row, in painting order. */
  readonly rows: readonly (readonly OverviewBar[])[];
  /** Titles of the overview, longest first. */
  readonly names: readonly string[];
}

/** What the frame shows around the lanes. */
export interface FrameShown {
  readonly overview: Overview;
  readonly view: ViewWindow;
  /** The number of pixels by which the lanes are scrolled. */
  readonly top: number;
  /** The stretch that the user is dragging along the axis. */
  readonly band: ScaleInterval | undefined;
}

/** The layers inside the frame. */
export interface LaneLayers {
  /** Behind the lines of the axis. */
  ground(): void;
  spans(): void;
  /** Clipped to the lanes. */
  marks(): void;
}

function paintOverview(ink: Ink, scene: LanesScene, overview: Overview, view: ViewWindow): void {
  const { context, palette } = ink;
  const { cursorShare } = scene;
  const at = scene.layout.overview;
  const rowHeight = at.height / Math.max(1, overview.rows.length);
  const perUs = at.width / Math.max(1e-9, overview.totalUs);
  box(context, at, { fill: palette.track, radius: 2 });
  overview.rows.forEach((bars, row) => {
    const y = at.y + row * rowHeight;
    for (const { startUs, endUs, fill, share } of bars) {
      const height = share >= 1 ? rowHeight : Math.max(1, rowHeight * share);
      context.fillStyle = fill;
      context.fillRect(
        at.x + startUs * perUs,
        y + rowHeight - height,
        Math.max(0.5, (endUs - startUs) * perUs),
        height,
      );
    }
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
  const name = firstFit(overview.names, at.x - 14, SMALL, ink.measure);
  drawText(ink, name, { x: at.x - 8, y: at.y + at.height - 2 }, { ...SMALL, colour: palette.soft, align: 'right' });
}

function paintHead(ink: Ink, scene: LanesScene, shown: FrameShown): void {
  const { palette, context } = ink;
  const { layout, ticks } = scene;
  context.save();
  context.translate(0, shown.top);
  box(context, { x: 0, y: 0, width: layout.width, height: bottom(layout.axis) - 1 }, { fill: palette.paper });
  paintOverview(ink, scene, shown.overview, shown.view);
  for (const { x, text } of ticks) {
    const align = x > layout.right - 30 ? 'right' : x < layout.left + 20 ? 'left' : 'center';
    drawText(ink, text, { x, y: layout.axis.y + 13 }, { ...SMALL, colour: palette.soft, align });
  }
  paintHandle(ink, scene);
  context.restore();
}

function paintHandle({ context, palette }: Ink, { cursorX, layout }: LanesScene): void {
  if (cursorX === undefined) return;
  context.beginPath();
  context.arc(cursorX, bottom(layout.axis) - 4, 4.5, 0, 2 * Math.PI);
  context.fillStyle = palette.accent;
  context.fill();
}

/** Clips what `paint` draws to the lanes, with a little space for frames at their edges. */
function withinLanes({ context }: Ink, { layout }: LanesScene, paint: () => void): void {
  const top = bottom(layout.axis);
  context.save();
  context.beginPath();
  context.rect(layout.left - 2, top - 2, layout.right - layout.left + 4, layout.height - top + 2);
  context.clip();
  paint();
  context.restore();
}

/** The lines of the axis behind the lanes. */
function paintGrid({ context, palette }: Ink, { ticks, layout, rows }: LanesScene): void {
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

function paintCursor(ink: Ink, { cursorX, layout }: LanesScene): void {
  if (cursorX === undefined) return;
  const { context, palette } = ink;
  line(
    context,
    [
      { x: cursorX, y: bottom(layout.axis) - 4 },
      { x: cursorX, y: layout.height - 2 },
    ],
    { colour: palette.accent, width: 1.5 },
  );
}

function paintBand({ context, palette }: Ink, { layout }: LanesScene, { from, to }: ScaleInterval): void {
  const x = Math.max(layout.left, Math.min(from, to));
  const rect = { x, y: layout.axis.y, width: Math.min(layout.right, Math.max(from, to)) - x, height: layout.height };
  context.save();
  context.globalAlpha = 0.18;
  box(context, rect, { fill: palette.accent });
  context.restore();
}

/** Paints lanes in their frame. `shown` is undefined before the first step: then there is no overview and no axis. */
export function paintLanes(ink: Ink, scene: LanesScene, shown: FrameShown | undefined, layers: LaneLayers): void {
  layers.ground();
  paintGrid(ink, scene);
  layers.spans();
  withinLanes(ink, scene, layers.marks);
  paintCursor(ink, scene);
  if (shown?.band) paintBand(ink, scene, shown.band);
  if (shown) paintHead(ink, scene, shown);
}
