/**
 * Draws the pipeline picture: bubbles, cells with kind and micro-batch, the band of kept activations below each row,
 * the axis, and the marks over all. Decides nothing.
 */
import type { PipelineAction } from '../../protocol/pipeline';
import { printAction } from '../../schedules/cell-text';
import type { LiveStep, ScheduleGap } from '../../schedules/timing';
import { formatTime } from '../draw/format';
import { bottom, centre, grow, type Path, type Rect, right } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { arrowHead, box, line } from '../draw/shapes';
import { drawText, ellipsize } from '../draw/text';
import type { ViewWindow } from '../lanes/view-window';
import { bubbleHatch, hatchOf, kindLook } from './kind-looks';
import type { Picture, PictureCell, PictureRow } from './picture';
import type { PictureItem } from './picture-items';
import { type PictureLayout, type RowLayout, scaleOf, stretchIn, ticksOf } from './picture-layout';

export interface RowTitle {
  readonly name: string;
  readonly detail: string;
  /** The hues of the row's global ranks, one per replica. */
  readonly colours: readonly string[];
}

/** The marks over the picture; marked items are drawn if they are in view. */
export interface PictureMarks {
  /** The cursor on the picture's clock; undefined: none. */
  readonly cursor: number | undefined;
  /** The cells in progress at the cursor. */
  readonly lit: ReadonlySet<PictureCell>;
  readonly selected: PictureItem | undefined;
  readonly pointed: PictureItem | undefined;
  /** The cells that cannot run at their place. */
  readonly wrong: ReadonlySet<PictureCell>;
  /** Arrows from an awaited cell to the waiting cell or gap. */
  readonly arrows: readonly { readonly from: PictureCell; readonly to: PictureCell | ScheduleGap }[];
}

export const NO_MARKS: PictureMarks = {
  cursor: undefined,
  lit: new Set(),
  selected: undefined,
  pointed: undefined,
  wrong: new Set(),
  arrows: [],
};

/** The parts of the picture that do not depend on its size. */
export interface PictureParts {
  readonly picture: Picture;
  readonly titles: readonly RowTitle[];
  /** The most activations that any row keeps; they fill the band. */
  readonly mostKept: number;
  /** For each stage, its index among its rank's stages. */
  readonly chunks: readonly number[];
}

export interface PictureScene extends PictureParts {
  readonly layout: PictureLayout;
  readonly view: ViewWindow;
}

const TEXT = 11.5;
const SMALL = 11;

export function paintPicture(ink: Ink, scene: PictureScene, marks: PictureMarks): void {
  const { picture, layout, view } = scene;
  const scale = scaleOf(layout, picture, view);
  axis(ink, scene, scale);
  for (const row of picture.rows) {
    const at = layout.rows[row.rank];
    if (!at) continue;
    title(ink, at, scene.titles[row.rank]);
    bubbles(ink, scene, at, row, scale);
    for (const cell of row.cells) {
      const rect = stretchIn(layout, at.cells, scale, cell);
      if (!rect) continue;
      cellBox(ink, scene, rect, cell.action, {
        wrong: marks.wrong.has(cell),
        unlabelled: isRelabelled(cell, rect, marks),
      });
    }
    band(ink, scene, at, row, scale);
  }
  over(ink, scene, marks, scale);
}

/** Draws the axis; labels at its ends stay inside the picture. */
function axis(ink: Ink, { picture, layout, view }: PictureScene, scale: (time: number) => number): void {
  const { context, palette } = ink;
  const marks = ticksOf(layout, picture, view);
  const step = (marks[1] ?? 1) - (marks[0] ?? 0);
  for (const [index, time] of marks.entries()) {
    const x = scale(time);
    const text = picture.unit === 'us' ? tickTime(time, step) : `${time}${index === 0 ? ' units' : ''}`;
    const width = ink.measure(text, { size: SMALL });
    line(
      context,
      [
        { x, y: layout.axis.height - 4 },
        { x, y: layout.height - 2 },
      ],
      { colour: palette.hair, width: 1 },
    );
    const left = Math.min(Math.max(x - width / 2, layout.left), layout.right - width + 20);
    drawText(ink, text, { x: left, y: 12 }, { size: SMALL, colour: palette.soft });
  }
}

/** A tick's label, with enough digits to differ from its neighbours. */
const tickTime = (us: number, step: number): string =>
  step >= 10 || us + step >= 1000 ? formatTime(us) : `${us.toFixed(step >= 1 ? 0 : 1)} µs`;

function title(ink: Ink, { name, cells }: RowLayout, row: RowTitle | undefined): void {
  if (!row) return;
  const { context, palette } = ink;
  const height = Math.min(name.height, 34) / row.colours.length;
  for (const [index, fill] of row.colours.entries())
    box(context, { x: name.x, y: name.y + index * height, width: 4, height: height - 1 }, { fill, radius: 1 });
  const x = name.x + 9;
  const room = right(name) - x;
  const style = { size: 12, weight: 600 };
  const short = ink.measure(row.name, style) <= room ? row.name : row.name.replace(/^(stage|rank) /, '');
  const y = cells.y + Math.min(cells.height / 2 + 4, 13);
  drawText(ink, short, { x, y }, { ...style, colour: palette.ink });
  const detail = ellipsize(row.detail, room, { size: SMALL }, ink.measure);
  if (name.height >= 32) drawText(ink, detail, { x, y: y + 14 }, { size: SMALL, colour: palette.soft });
}

function bubbles(
  ink: Ink,
  { layout }: PictureScene,
  { cells }: RowLayout,
  { gaps }: PictureRow,
  scale: (time: number) => number,
): void {
  const fill = ink.hatch(bubbleHatch(ink.palette));
  for (const gap of gaps) {
    const rect = stretchIn(layout, cells, scale, gap);
    if (rect) box(ink.context, rect, { fill, radius: 2 });
  }
}

/** Leaves one pixel between neighbouring cells if they are wide enough. */
const inset = (rect: Rect): Rect => ({ ...rect, width: rect.width > 3 ? rect.width - 1 : rect.width });

type Chunks = Pick<PictureScene, 'chunks'>;

const hasChunks = ({ chunks }: Chunks): boolean => chunks.some((chunk) => chunk > 0);

/** Whether the cell gets a bold label later, so that the usual label is left out. */
const isRelabelled = (cell: PictureCell, rect: Rect, { lit }: PictureMarks): boolean =>
  rect.width > RELABELLED && lit.has(cell);

const RELABELLED = 24;

interface CellLook {
  readonly wrong?: boolean;
  readonly unlabelled?: boolean;
}

export function cellBox(ink: Ink, scene: Chunks, stretch: Rect, action: PipelineAction, look: CellLook = {}): void {
  const { wrong = false, unlabelled = false } = look;
  const rect = inset(stretch);
  const kind = kindLook(ink.palette, action.kind, scene.chunks[action.stage]);
  const hatch = hatchOf(kind);
  const edge = rect.width > 4 ? { stroke: kind.edge, lineWidth: 0.75, radius: 3 } : {};
  box(ink.context, rect, { fill: hatch && rect.width > 5 ? ink.hatch(hatch) : kind.fill, ...edge });
  if (wrong) box(ink.context, rect, { stroke: ink.palette.bad, lineWidth: 2, radius: 3, dash: [4, 2] });
  if (!unlabelled) label(ink, rect, action, { chunked: hasChunks(scene), weight: wrong ? 700 : 400 });
}

interface LabelStyle {
  /** Whether several stages share the row; labels then begin with the stage, as in torch's text. */
  readonly chunked: boolean;
  readonly weight: number;
}

/**
 * Draws a cell's label: in one line if it fits, else the letter above the number, else only the number, else nothing.
 */
function label(ink: Ink, rect: Rect, action: PipelineAction, { chunked, weight }: LabelStyle): void {
  const { kind, microBatch } = action;
  const middle = centre(rect);
  const fits = (text: string, size: number): boolean => ink.measure(text, { size, weight }) <= rect.width - 3;
  const at = (text: string, y: number, size: number): void =>
    drawText(ink, text, { x: middle.x, y }, { size, weight, colour: ink.palette.ink, align: 'center' });
  if (rect.height < TEXT) return;
  const one = [...(chunked ? [printAction(action)] : []), `${kind}${microBatch}`].find((text) => fits(text, TEXT));
  if (one !== undefined) at(one, middle.y + 4, TEXT);
  else if (rect.height >= 2 * SMALL + 2 && fits(kind, SMALL) && fits(`${microBatch}`, SMALL)) {
    at(kind, middle.y - 2, SMALL);
    at(`${microBatch}`, middle.y + SMALL - 2, SMALL);
  } else if (fits(`${microBatch}`, SMALL)) at(`${microBatch}`, middle.y + 4, SMALL);
}

/** Draws the band of kept activations: up when a forward is done, down when its backward is done. */
function band(
  ink: Ink,
  { layout, picture, mostKept }: PictureScene,
  { band: lane }: RowLayout,
  { live, peak }: PictureRow,
  scale: (time: number) => number,
): void {
  const { context, palette } = ink;
  context.fillStyle = palette.memory.activation;
  for (const { start, end, kept } of stretchesOf(live, picture.to)) {
    const rect = stretchIn(layout, lane, scale, { start, end });
    const height = (lane.height * kept) / Math.max(1, mostKept);
    if (rect && kept > 0) context.fillRect(rect.x, bottom(lane) - height, rect.width, height);
  }
  const base = bottom(lane) + 0.5;
  line(
    context,
    [
      { x: layout.left, y: base },
      { x: layout.right, y: base },
    ],
    { colour: palette.line, width: 1 },
  );
  drawText(ink, String(peak), { x: layout.right + 6, y: bottom(lane) }, { size: SMALL, colour: palette.ink });
}

function stretchesOf(live: readonly LiveStep[], to: number) {
  return live.map(({ time, live: kept }, index) => ({ start: time, end: live[index + 1]?.time ?? to, kept }));
}

function over(ink: Ink, scene: PictureScene, marks: PictureMarks, scale: (time: number) => number): void {
  const { context, palette } = ink;
  const { layout } = scene;
  const rectOf = (stretch: { readonly rank: number; readonly start: number; readonly end: number }) => {
    const row = layout.rows[stretch.rank];
    return row && stretchIn(layout, row.cells, scale, stretch);
  };
  for (const cell of marks.lit) {
    const rect = rectOf(cell);
    if (!rect) continue;
    box(context, inset(rect), { stroke: palette.accent, lineWidth: 2, radius: 3 });
    if (rect.width > RELABELLED) plain(ink, scene, inset(rect), cell.action);
  }
  const pointed = marks.pointed && rectOf(marks.pointed);
  if (pointed) box(context, inset(pointed), { stroke: palette.ink, lineWidth: 1, radius: 3 });
  const selected = marks.selected && rectOf(marks.selected);
  if (selected) box(context, grow(inset(selected), 1), { stroke: palette.accent, lineWidth: 2.5, radius: 4 });
  cursor(ink, layout, marks.cursor === undefined ? undefined : scale(marks.cursor));
  for (const { from, to } of marks.arrows) {
    const [start, end] = [rectOf(from), rectOf(to)];
    if (start && end) arrow(ink, start, end);
  }
}

/** Draws the cell's label again, in bold, on the cell's colour. */
function plain(ink: Ink, scene: Chunks, rect: Rect, action: PipelineAction): void {
  const { fill } = kindLook(ink.palette, action.kind, scene.chunks[action.stage]);
  box(ink.context, grow(rect, -2), { fill, radius: 2 });
  label(ink, rect, action, { chunked: hasChunks(scene), weight: 700 });
}

function cursor({ context, palette }: Ink, layout: PictureLayout, x: number | undefined): void {
  if (x === undefined || x < layout.left - 1 || x > layout.right + 1) return;
  const top = layout.axis.height - 4;
  line(
    context,
    [
      { x, y: top },
      { x, y: layout.height - 2 },
    ],
    { colour: palette.accent, width: 1.5 },
  );
  box(context, { x: x - 4, y: top - 4, width: 8, height: 8 }, { fill: palette.accent, radius: 4 });
}

/** Draws an arrow from the end of the awaited cell to the end of the wait, around the rows between. */
function arrow({ context, palette }: Ink, from: Rect, to: Rect): void {
  const down = to.y > from.y;
  const start = { x: right(from) - 4, y: down ? bottom(from) : from.y };
  const end = { x: right(to) - 4, y: down ? to.y : bottom(to) };
  const between = down ? to.y - 5 : bottom(to) + 5;
  const path: Path = [start, { x: start.x, y: between }, { x: end.x, y: between }, end];
  line(context, path, { colour: palette.accent, width: 1.75, radius: 4 });
  arrowHead(context, path, 1, 6, palette.accent);
  box(context, inset(from), { stroke: palette.accent, lineWidth: 1.5, radius: 3 });
}
