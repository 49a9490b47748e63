/**
 * The pipeline picture of a step that ran: a cell begins with the first of its action's kernels and ends with the last
 * one, on the measured or the modelled clock. Shows one replica. Pure.
 */
import type { Clock, StepTrace } from '../../protocol/trace';
import { keyOf, partsOf } from '../../schedules/cell';
import { type ActionPlaces, placesOf } from '../../schedules/dependencies';
import type { Schedule } from '../../schedules/schedule';
import type { ScheduleGap } from '../../schedules/timing';
import { endUs, spanOf } from '../../trace/lanes';
import { type Picture, type PictureCell, type PictureRow, pictureOf, rowOf } from './picture';

/** The index of the shown replica; pipeline ranks are the outer axis of the mesh: rank = pp · replicas + replica. */
export interface ReplicaIndex {
  readonly index: number;
  readonly of: number;
}

/** Shorter pauses are rounding errors of the clock. */
const NOTHING = 1e-6;

interface Stretch {
  start: number;
  end: number;
  first: number;
  last: number;
}

export function pictureOfTrace(trace: StepTrace, clock: Clock, schedule: Schedule, replica: ReplicaIndex): Picture {
  const stretches = stretchesOf(trace, clock, replica);
  const arrivals = arrivalsOf(trace, clock, replica);
  const cells = schedule.orders.map((order, rank) =>
    order
      .flatMap((cell, index) =>
        partsOf(cell).flatMap((action, _, parts): PictureCell[] => {
          const found = stretches.get(keyOf(action));
          // The first stage has no input to make a gradient for: its I has no kernel.
          if (!found) return [];
          const { start, end, first, last } = found;
          return [{ rank, index, action, start, end, paired: parts.length > 1, events: { first, last } }];
        }),
      )
      .sort((a, b) => a.start - b.start),
  );
  const before = pictureOf(
    'us',
    cells.map((own, rank) => rowOf(rank, own, [])),
  );
  const places = placesOf(schedule);
  return pictureOf(
    'us',
    before.rows.map((row) => rowOf(row.rank, row.cells, gapsOf(before, row, places, arrivals))),
  );
}

function stretchesOf(trace: StepTrace, clock: Clock, replica: ReplicaIndex): ReadonlyMap<number, Stretch> {
  const stretches = new Map<number, Stretch>();
  for (const [index, { action, queue, kind, device }] of trace.events.entries()) {
    if (!action || queue !== 'compute' || kind === 'wait' || device % replica.of !== replica.index) continue;
    const span = spanOf(trace, clock, index);
    const found = stretches.get(keyOf(action));
    if (!found) {
      stretches.set(keyOf(action), { start: span.startUs, end: endUs(span), first: index, last: index });
      continue;
    }
    found.start = Math.min(found.start, span.startUs);
    found.end = Math.max(found.end, endUs(span));
    found.last = index;
  }
  return stretches;
}

/** By rank, then by action: the time at which the rank has received the message with the action's result. */
type Arrivals = readonly ReadonlyMap<number, number>[];

function arrivalsOf(trace: StepTrace, clock: Clock, replica: ReplicaIndex): Arrivals {
  const arrivals: Map<number, number>[] = [];
  for (const [index, { action, kind, device }] of trace.events.entries()) {
    if (!action || kind !== 'recv' || device % replica.of !== replica.index) continue;
    const rank = Math.floor(device / replica.of);
    arrivals[rank] ??= new Map();
    arrivals[rank].set(keyOf(action), endUs(spanOf(trace, clock, index)));
  }
  return arrivals;
}

/** The gaps of a row: before the first cell, between cells, and after the last. */
function gapsOf(picture: Picture, row: PictureRow, places: ActionPlaces, arrivals: Arrivals): readonly ScheduleGap[] {
  const { from, to } = picture;
  const { rank } = row;
  const least = NOTHING * (to - from);
  const gaps: ScheduleGap[] = [];
  let idleFrom = from;
  for (const { action, start, end } of row.cells) {
    if (start - idleFrom > least) {
      const there = (needed: PictureCell): number => arrivals[rank]?.get(keyOf(needed.action)) ?? needed.end;
      const needed = places.dependenciesOf(action).flatMap((wanted) => picture.cellOf(wanted) ?? []);
      const latest = needed.toSorted((a, b) => there(b) - there(a))[0];
      const waitsFor = latest && there(latest) > idleFrom + least ? latest.action : undefined;
      gaps.push({ rank, start: idleFrom, end: start, waitsFor, next: action });
    }
    idleFrom = Math.max(idleFrom, end);
  }
  if (to - idleFrom > least) gaps.push({ rank, start: idleFrom, end: to, waitsFor: undefined, next: undefined });
  return gaps;
}
