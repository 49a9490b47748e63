/**
 * The picture of a schedule that may not be able to run. A cell waits for its inputs, as in schedules/timing.ts, but
 * not for inputs that no cell makes; if all ranks wait for each other, the rank whose turn came first continues without
 * its input. So a wrong cell is drawn where it is written, and the rest keeps its shape. Pure.
 */
import { at } from '../../base/invariant';
import type { PipelineAction } from '../../protocol/pipeline';
import { isPair, keyOf, partsOf } from '../../schedules/cell';
import { type ActionPlaces, placesOf } from '../../schedules/dependencies';
import type { Schedule } from '../../schedules/schedule';
import { type Costs, type ScheduleGap, type TimedCell, USUAL_COSTS } from '../../schedules/timing';
import { type Picture, pictureOf, rowOf } from './picture';

interface Lane {
  readonly rank: number;
  readonly queue: readonly { readonly action: PipelineAction; readonly index: number; readonly paired: boolean }[];
  next: number;
  clock: number;
  readonly cells: TimedCell[];
  readonly gaps: ScheduleGap[];
}

/** The least length of the axis, so that even an empty draft has space to write in. */
const LEAST_LENGTH = 12;
/** The space after the last cell, for the next one. */
const BEYOND = 2;

export function pictureOfDraft(schedule: Schedule, costs: Costs = USUAL_COSTS): Picture {
  const lanes = schedule.orders.map(
    (order, rank): Lane => ({
      rank,
      queue: order.flatMap((cell, index) => partsOf(cell).map((action) => ({ action, index, paired: isPair(cell) }))),
      next: 0,
      clock: 0,
      cells: [],
      gaps: [],
    }),
  );
  runLanes(lanes, placesOf(schedule), costs);
  const end = lanes.reduce((most, { clock }) => Math.max(most, clock), 0);
  const picture = pictureOf(
    'units',
    lanes.map(({ rank, cells, gaps, clock }) => {
      const after: ScheduleGap = { rank, start: clock, end, waitsFor: undefined, next: undefined };
      return rowOf(rank, cells, clock < end && cells.length > 0 ? [...gaps, after] : gaps);
    }),
  );
  return { ...picture, from: 0, to: Math.max(LEAST_LENGTH, end + BEYOND) };
}

function runLanes(lanes: readonly Lane[], places: ActionPlaces, costs: Costs): void {
  const ends = new Map<number, number>();
  /** The time at which all inputs of an action are ready; undefined if one is still missing. */
  const readyAt = (wanted: PipelineAction): { readonly time: number; readonly last?: PipelineAction } | undefined => {
    let [time, last] = [0, undefined as PipelineAction | undefined];
    for (const needed of places.dependenciesOf(wanted)) {
      const end = ends.get(keyOf(needed));
      if (end === undefined && places.placeOf(needed)) return undefined;
      if (end !== undefined && end > time) [time, last] = [end, needed];
    }
    return last ? { time, last } : { time };
  };
  const run = (lane: Lane, ready: { readonly time: number; readonly last?: PipelineAction }): void => {
    const { rank, clock } = lane;
    const { action, index, paired } = at(lane.queue, lane.next);
    const start = Math.max(clock, ready.time);
    if (start > clock) lane.gaps.push({ rank, start: clock, end: start, waitsFor: ready.last, next: action });
    lane.clock = start + costs[action.kind];
    lane.cells.push({ rank, index, action, start, end: lane.clock, paired });
    if (!ends.has(keyOf(action))) ends.set(keyOf(action), lane.clock);
    lane.next++;
  };
  const advance = (lane: Lane): boolean => {
    const before = lane.next;
    for (let ready = readyNow(lane); ready; ready = readyNow(lane)) run(lane, ready);
    return lane.next > before;
  };
  const readyNow = (lane: Lane) => {
    const head = lane.queue[lane.next];
    return head && readyAt(head.action);
  };
  const left = (): readonly Lane[] => lanes.filter(({ next, queue }) => next < queue.length);
  while (left().length > 0) {
    if (lanes.map(advance).some(Boolean)) continue;
    const first = left().reduce((a, b) => (b.clock < a.clock ? b : a));
    run(first, { time: first.clock });
  }
}
