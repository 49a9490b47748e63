/**
 * The selection on the timeline (a span, or a stretch in which nothing runs), and how keys move it: along its lane, and
 * to the lane above or below at the same time. Pure.
 */
import { at } from '../../base/invariant';
import type { StepTrace } from '../../protocol/trace';
import type { LaneParts } from './lane-parts';
import type { IdleStretch, TimelineItem } from './timeline-scene';

export type Selection =
  | { readonly kind: 'event'; readonly event: number }
  | { readonly kind: 'idle'; readonly stretch: IdleStretch };

export type EventDirection = 'next' | 'previous' | 'above' | 'below';

interface Selectable {
  readonly startUs: number;
  readonly endUs: number;
  readonly selection: Selection;
}

/** For each device, the compute lane including idle stretches, and the communication lane. */
function lanesOf({ devices }: LaneParts): readonly (readonly Selectable[])[] {
  return devices.flatMap(({ compute, comm, waits, gaps }) => {
    const pieces = (runs: typeof compute): readonly Selectable[] =>
      runs.flatMap((run) =>
        run.pieces.map(({ startUs, endUs, event }) => ({ startUs, endUs, selection: { kind: 'event', event } })),
      );
    const idle = (stretch: IdleStretch): Selectable => {
      const { startUs, endUs } = stretch.of === 'comm' ? stretch.wait : stretch.gap;
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
  const [x, y] = [startOf(a.stretch), startOf(b.stretch)];
  return a.stretch.of === b.stretch.of && x.device === y.device && x.startUs === y.startUs;
};

const startOf = (stretch: IdleStretch) => (stretch.of === 'comm' ? stretch.wait : stretch.gap);

/** The selection after a key; undefined at the end of a lane and at the last lane. */
export function moveSelection(parts: LaneParts, from: Selection, direction: EventDirection): Selection | undefined {
  const lanes = lanesOf(parts);
  const lane = lanes.findIndex((list) => list.some(({ selection }) => sameSelection(selection, from)));
  if (lane < 0) return undefined;
  const list = at(lanes, lane);
  const place = list.findIndex(({ selection }) => sameSelection(selection, from));
  if (direction === 'next' || direction === 'previous') return list[place + (direction === 'next' ? 1 : -1)]?.selection;
  const { startUs, endUs } = at(list, place);
  return nearest(lanes[lane + (direction === 'below' ? 1 : -1)], (startUs + endUs) / 2)?.selection;
}

function nearest(list: readonly Selectable[] | undefined, us: number): Selectable | undefined {
  const away = ({ startUs, endUs }: Selectable) => Math.max(startUs - us, 0, us - endUs);
  return list?.reduce((best, item) => (away(item) < away(best) ? item : best));
}

/** The time of a selection. */
export function stretchOf(
  parts: LaneParts,
  selection: Selection,
): { readonly startUs: number; readonly endUs: number } {
  return selection.kind === 'event' ? at(parts.spans, selection.event) : startOf(selection.stretch);
}

/** The event at the cursor; before the first event, the first. */
export const atCursor = ({ events }: StepTrace, event: number): Selection | undefined =>
  events.length === 0 ? undefined : { kind: 'event', event: Math.max(0, event) };

/** The selection that an item of the timeline stands for. */
export const selectionOf = ({ event, idle }: TimelineItem): Selection | undefined => {
  if (event !== undefined) return { kind: 'event', event };
  return idle && { kind: 'idle', stretch: idle };
};
