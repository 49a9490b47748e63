/**
 * The timeline as data: the pieces in view as rectangles with their words, the axis, the cursor's place. Pure;
 * timeline.tsx paints it and finds the item under the pointer in it.
 */
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import type { Interval } from '../../trace/intervals';
import { type Rect, right } from '../draw/geometry';
import type { HitItem } from '../draw/hit-regions';
import type { Tip } from '../draw/tip';
import type { Gap } from '../lanes/gaps';
import type { LanesScene } from '../lanes/lanes';
import { cutToView, stretchInLane, type TimeScale, timeScale, timeTicks } from '../lanes/time-axis';
import type { ViewWindow } from '../lanes/view-window';
import type { CommRun, CommWait, LaneParts, Run } from './lane-parts';
import type { DeviceRow, TimelineLayout } from './timeline-layout';
import { eventTip, gapTip, waitTip } from './timeline-tip';

/** A stretch in which a device, or only its communication, is idle. */
export type IdleStretch =
  | { readonly of: 'device'; readonly gap: Gap }
  | { readonly of: 'comm'; readonly wait: CommWait };

export interface TimelineItem extends HitItem {
  /** The item's event; undefined for an idle stretch. */
  readonly event: number | undefined;
  readonly idle?: IdleStretch;
  readonly tip: () => Tip;
}

export interface PieceScene {
  readonly rect: Rect;
  readonly event: number;
  /** The piece's labels, longest first; empty if the run's label replaces them. */
  readonly labels: readonly string[];
}

export interface RunScene {
  readonly run: Run;
  readonly rect: Rect;
  readonly pieces: readonly PieceScene[];
  /** The run's labels; empty if the pieces have their own. */
  readonly labels: readonly string[];
}

/** The pieces of one round of a collective. */
export interface RoundScene {
  readonly rect: Rect;
  readonly events: readonly number[];
  /** The round's labels, longest first; the last one is its number. */
  readonly labels: readonly string[];
}

export interface CommScene extends RunScene {
  /** The rounds of the collective; empty if they are too narrow for their numbers. */
  readonly rounds: readonly RoundScene[];
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
  /** The waits, only in the communication lane. */
  readonly waits: readonly Rect[];
}

export interface TimelineScene extends LanesScene<TimelineItem> {
  readonly layout: TimelineLayout;
  readonly rows: readonly RowScene[];
}

export interface TimelineInput {
  readonly layout: TimelineLayout;
  readonly trace: StepTrace;
  readonly parts: LaneParts;
  readonly view: ViewWindow;
  readonly ranks: boolean;
  /** The node of each device, if the ranks are on several nodes. */
  readonly nodes?: readonly number[] | undefined;
}

/** Narrower pieces share their run's label: 'forward 0' and 'chunk 3' would not fit into them. */
const OWN_LABEL = { compute: 36, comm: 54 };
const GAP = 1;

/** The rectangle, in a lane, of the part of an interval that is in view; undefined if none is. */
const cut = ({ layout }: TimelineInput, scale: TimeScale, lane: Rect, span: Interval): Rect | undefined =>
  cutToView(layout, scale, lane, span);

function runScene(input: TimelineInput, scale: TimeScale, lane: Rect, run: Run): RunScene | undefined {
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

function commScene(input: TimelineInput, scale: TimeScale, lane: Rect, run: CommRun): CommScene | undefined {
  const base = runScene(input, scale, lane, run);
  const rects = (list: CommRun['hidden']) => list.flatMap((i) => cut(input, scale, lane, i) ?? []);
  return (
    base && { ...base, rounds: roundScenes(input.trace, base), hidden: rects(run.hidden), exposed: rects(run.exposed) }
  );
}

const NARROWEST_ROUND = 13;

/** The rounds of a collective, if there is room for their numbers. */
function roundScenes({ events }: StepTrace, { pieces }: RunScene): readonly RoundScene[] {
  const rounds: { rect: Rect; readonly events: number[]; readonly labels: readonly string[]; readonly key: string }[] =
    [];
  for (const { rect, event } of pieces) {
    const e = events[event];
    if (e?.collective?.round === undefined) return [];
    const key = `${e.collective.seq} ${e.collective.round}`;
    const last = rounds.at(-1);
    if (last?.key === key) {
      last.rect = { ...last.rect, width: right(rect) - last.rect.x };
      last.events.push(event);
    } else rounds.push({ rect, events: [event], labels: roundLabels(e), key });
  }
  // Waits cut a collective into pieces, and the window's edge cuts off its ends: the widest round decides.
  const widest = Math.max(0, ...rounds.map(({ rect }) => rect.width));
  return widest >= NARROWEST_ROUND ? rounds : [];
}

function roundLabels({ bucket, collective }: TraceEvent): readonly string[] {
  const number = String((collective?.round ?? 0) + 1);
  if (bucket === undefined) return [number];
  // The first round also names the bucket.
  return [`bucket ${bucket}, round ${number}`, number === '1' ? `bucket ${bucket}` : `round ${number}`, number];
}

const present = <T>(value: T | undefined): value is T => value !== undefined;

export function timelineScene(input: TimelineInput): TimelineScene {
  const { layout, parts, view, trace, ranks, nodes } = input;
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
      items.push({
        id: `gap ${row.device} ${gap.startUs}`,
        rect,
        event: undefined,
        idle: { of: 'device', gap },
        tip: () => gapTip(gap),
      });
      return [rect];
    });
    const waits = lanes.waits.flatMap((wait) => {
      const rect = row.comm.height > 0 ? cut(input, scale, row.comm, wait) : undefined;
      if (!rect) return [];
      const id = `wait ${row.device} ${wait.startUs}`;
      items.push({ id, rect, event: undefined, idle: { of: 'comm', wait }, tip: () => waitTip(trace, wait) });
      return [rect];
    });
    for (const { rect, event } of [...compute, ...comm].flatMap((run) => run.pieces)) {
      items.push({ id: `event ${event}`, rect, event, tip: () => eventTip(trace, event) });
    }
    const name = ranks ? `rank ${row.device}` : `cuda:${row.device}`;
    // Every node has its own cuda:0.
    const place = nodes ? `node ${nodes[row.device]}` : `cuda:${row.device}`;
    return [{ row, name, detail: ranks ? place : '', compute, comm, gaps, waits }];
  });
  const ticks = timeTicks(layout, parts.totalUs, view);
  return { layout, rows, ticks, cursorX: undefined, cursorShare: undefined, items };
}

/** The rectangle of an event, as if the lanes continued beyond the window. */
export function rectOf(input: Omit<TimelineInput, 'ranks'>, event: number): Rect | undefined {
  const { layout, trace, parts, view } = input;
  const e = trace.events[event];
  const row = e && layout.rows[e.device];
  const span = parts.spans[event];
  if (!row || !span) return undefined;
  const scale = timeScale(layout, parts.totalUs, view);
  const lane = e.queue === 'comm' && row.comm.height > 0 ? row.comm : row.compute;
  return stretchInLane(scale, lane, span);
}
