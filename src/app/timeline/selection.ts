/** The selection on the timeline: a span, or a stretch in which nothing runs; its time, and how keys move it. Pure. */
import { at } from '../../base/invariant';
import type { StepTrace } from '../../protocol/trace';
import type { Interval } from '../../trace/intervals';
import { type LaneDirection, moveAlong, type SelectableLane } from '../lanes/move-along';
import type { ViewWindow } from '../lanes/view-window';
import type { LaneParts } from './lane-parts';
import type { IdleStretch, TimelineItem } from './timeline-scene';

export type Selection =
  | { readonly kind: 'event'; readonly event: number }
  | { readonly kind: 'idle'; readonly stretch: IdleStretch };

interface Selectable extends Interval {
  readonly selection: Selection;
}

const laneOf = (list: readonly Selectable[]): SelectableLane<Selection> => ({
  count: list.length,
  stretch: (index) => at(list, index),
  chosen: (index) => at(list, index).selection,
});

/** For each device, the compute lane including idle stretches, and the communication lane. */
function lanesOf({ devices }: LaneParts): readonly (readonly Selectable[])[] {
  return devices.flatMap(({ compute, comm, waits, gaps }) => {
    const pieces = (runs: typeof compute): readonly Selectable[] =>
      runs.flatMap((run) =>
        run.pieces.map(({ startUs, endUs, event }) => ({ startUs, endUs, selection: { kind: 'event', event } })),
      );
    const idle = (stretch: IdleStretch): Selectable => {
      const { startUs, endUs } = stretchOfIdle(stretch);
      return { startUs, endUs, selection: { kind: 'idle', stretch } };
    };
    const lanes = [
      [...pieces(compute), ...gaps.map((gap) => idle({ of: 'device', gap }))],
      [...pieces(comm), ...waits.map((wait) => idle({ of: 'comm', wait }))],
    ];
    return lanes
      .filter((lane) => lane.length > 0)
      .map((lane) => lane.sort((a, b) => a.startUs - b.startUs || a.endUs - b.endUs));
  });
}

export const sameSelection = (a: Selection | undefined, b: Selection | undefined): boolean => {
  if (!a || !b) return a === b;
  if (a.kind === 'event') return b.kind === 'event' && a.event === b.event;
  if (b.kind === 'event') return false;
  const [x, y] = [stretchOfIdle(a.stretch), stretchOfIdle(b.stretch)];
  return a.stretch.of === b.stretch.of && x.device === y.device && x.startUs === y.startUs;
};

const stretchOfIdle = (stretch: IdleStretch) => (stretch.of === 'comm' ? stretch.wait : stretch.gap);

/** The selection after a key; undefined at the end of a lane and at the last lane. */
export function moveSelection(parts: LaneParts, from: Selection, direction: LaneDirection): Selection | undefined {
  const lanes = lanesOf(parts);
  const lane = lanes.findIndex((list) => list.some(({ selection }) => sameSelection(selection, from)));
  const index = lanes[lane]?.findIndex(({ selection }) => sameSelection(selection, from));
  if (index === undefined) return undefined;
  const { startUs, endUs } = stretchOf(parts, from);
  return moveAlong(lanes.map(laneOf), { lane, index, us: (startUs + endUs) / 2 }, direction);
}

/** The time of a selection. */
const stretchOf = (parts: LaneParts, selection: Selection): Interval =>
  selection.kind === 'event' ? at(parts.spans, selection.event) : stretchOfIdle(selection.stretch);

/** The time of a selection as shares of the step; undefined before a step has run. */
export function sharesOf(parts: LaneParts | undefined, selection: Selection): ViewWindow | undefined {
  if (!parts || parts.totalUs <= 0) return undefined;
  const { startUs, endUs } = stretchOf(parts, selection);
  return { from: startUs / parts.totalUs, to: endUs / parts.totalUs };
}

/** The event at the cursor; before the first event, the first. */
export const atCursor = ({ events }: StepTrace, event: number): Selection | undefined =>
  events.length === 0 ? undefined : { kind: 'event', event: Math.max(0, event) };

/** The selection that an item of the timeline stands for. */
export const selectionOf = ({ event, idle }: TimelineItem): Selection | undefined => {
  if (event !== undefined) return { kind: 'event', event };
  return idle && { kind: 'idle', stretch: idle };
};
