/**
 * The timeline as data: the pieces in view as rectangles with what they say, the axis, the cursor's place. Pure;
 * timeline.tsx paints it and asks it what lies under the pointer.
 */
import type { StepTrace } from '../../protocol/trace';
import { formatTime } from '../draw/format';
import type { Rect } from '../draw/geometry';
import type { HitItem } from '../draw/hit-regions';
import { type Interval, linearScale, ticks } from '../draw/scales';
import type { Tip } from '../draw/tip';
import type { CommRun, LaneParts, Run } from './lane-parts';
import type { DeviceRow, TimelineLayout } from './timeline-layout';
import { eventTip, gapTip } from './timeline-tip';
import type { ViewWindow } from './view-window';

export interface TimelineItem extends HitItem {
  /** undefined: an idle stretch. */
  readonly event: number | undefined;
  readonly tip: () => Tip;
}

export interface PieceScene {
  readonly rect: Rect;
  readonly event: number;
  /** Longest first; empty where the run's label stands for it. */
  readonly labels: readonly string[];
}

export interface RunScene {
  readonly run: Run;
  readonly rect: Rect;
  readonly pieces: readonly PieceScene[];
  /** Empty where the pieces have their own. */
  readonly labels: readonly string[];
}

export interface CommScene extends RunScene {
  readonly hidden: readonly Rect[];
  readonly exposed: readonly Rect[];
}

export interface RowScene {
  readonly row: DeviceRow;
  readonly name: string;
  readonly detail: string;
  readonly compute: readonly RunScene[];
  readonly comm: readonly CommScene[];
  readonly gaps: readonly Rect[];
}

export interface TimelineScene {
  readonly layout: TimelineLayout;
  readonly rows: readonly RowScene[];
  readonly ticks: readonly { readonly x: number; readonly text: string }[];
  readonly cursorX: number | undefined;
  readonly items: readonly TimelineItem[];
}

export interface TimelineInput {
  readonly layout: TimelineLayout;
  readonly trace: StepTrace;
  readonly parts: LaneParts;
  readonly view: ViewWindow;
  readonly ranks: boolean;
}

/** Narrower pieces share their run's label: 'fwd 0' and 'chunk 3' would not fit into them. */
const OWN_LABEL = { compute: 36, comm: 54 };
const GAP = 1;

type Sides = Pick<TimelineLayout, 'left' | 'right'>;

const timesIn = (totalUs: number, view: ViewWindow): Interval => ({ from: view.from * totalUs, to: view.to * totalUs });
const across = ({ left, right }: Sides): Interval => ({ from: left, to: right });

/** From microseconds to pixels. */
export const timeScale = (sides: Sides, totalUs: number, view: ViewWindow) =>
  linearScale(timesIn(totalUs, view), across(sides));

/** From pixels to microseconds. */
export const timeAt = (sides: Sides, totalUs: number, view: ViewWindow) =>
  linearScale(across(sides), timesIn(totalUs, view));

/** Where the cursor stands, undefined when it is out of view. */
export function cursorAt(
  layout: TimelineLayout,
  totalUs: number,
  view: ViewWindow,
  cursorUs: number,
): number | undefined {
  const x = timeScale(layout, totalUs, view)(cursorUs);
  return x >= layout.left - 0.5 && x <= layout.right + 0.5 ? x : undefined;
}

type Scale = ReturnType<typeof timeScale>;

/** The part of an interval that is in view, in a lane; undefined when none is. */
function cut(
  { layout }: TimelineInput,
  scale: Scale,
  lane: Rect,
  span: { readonly startUs: number; readonly endUs: number },
): Rect | undefined {
  const x = Math.max(layout.left, scale(span.startUs));
  const end = Math.min(layout.right, scale(span.endUs));
  return end > x ? { x, y: lane.y, width: Math.max(0.75, end - x), height: lane.height } : undefined;
}

function runScene(input: TimelineInput, scale: Scale, lane: Rect, run: Run): RunScene | undefined {
  const rect = cut(input, scale, lane, run);
  if (!rect) return undefined;
  const widths = run.pieces.map((p) => scale(p.endUs) - scale(p.startUs));
  const own = Math.min(...widths.filter((w) => w > 0)) >= OWN_LABEL[run.of.queue];
  const pieces = run.pieces.flatMap((piece): PieceScene[] => {
    const at = cut(input, scale, lane, piece);
    return at
      ? [
          {
            rect: { ...at, width: Math.max(0.75, at.width - GAP) },
            event: piece.event,
            labels: own ? piece.labels : [],
          },
        ]
      : [];
  });
  return { run, rect, pieces, labels: own ? [] : run.labels };
}

function commScene(input: TimelineInput, scale: Scale, lane: Rect, run: CommRun): CommScene | undefined {
  const base = runScene(input, scale, lane, run);
  const rects = (list: CommRun['hidden']) => list.flatMap((i) => cut(input, scale, lane, i) ?? []);
  return base && { ...base, hidden: rects(run.hidden), exposed: rects(run.exposed) };
}

const present = <T>(value: T | undefined): value is T => value !== undefined;

export function timelineScene(input: TimelineInput): TimelineScene {
  const { layout, parts, view, trace, ranks } = input;
  const scale = timeScale(layout, parts.totalUs, view);
  const items: TimelineItem[] = [];
  const rows = layout.rows.flatMap((row): RowScene[] => {
    const lanes = parts.devices[row.device];
    if (!lanes) return [];
    const compute = lanes.compute.map((run) => runScene(input, scale, row.compute, run)).filter(present);
    const comm =
      row.comm.height > 0 ? lanes.comm.map((run) => commScene(input, scale, row.comm, run)).filter(present) : [];
    const gaps = lanes.gaps.flatMap((gap) => {
      const rect = cut(input, scale, row.ground, gap);
      if (!rect) return [];
      items.push({ id: `gap ${row.device} ${gap.startUs}`, rect, event: undefined, tip: () => gapTip(gap) });
      return [rect];
    });
    for (const { rect, event } of [...compute, ...comm].flatMap((run) => run.pieces)) {
      items.push({ id: `event ${event}`, rect, event, tip: () => eventTip(trace, event) });
    }
    const name = ranks ? `rank ${row.device}` : `cuda:${row.device}`;
    return [{ row, name, detail: ranks ? `cuda:${row.device}` : '', compute, comm, gaps }];
  });
  const count = Math.max(2, Math.floor((layout.right - layout.left) / 110));
  const marks = ticks(timesIn(parts.totalUs, view), count).map((us) => ({ x: scale(us), text: formatTime(us) }));
  return { layout, rows, ticks: marks, cursorX: undefined, items };
}
