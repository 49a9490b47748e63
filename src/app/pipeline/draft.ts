/**
 * A schedule that the user is building: the orders of its ranks, all earlier and undone states for undo and redo, and
 * the edits. An edit may make the draft illegal, which schedules/check-schedule.ts reports. Pure and plain data; the
 * store keeps one.
 */
import { at } from '../../base/invariant';
import type { Computation, PipelineAction } from '../../protocol/pipeline';
import { action, isPair, keyOf, partsOf, type ScheduleCell, sameCell } from '../../schedules/cell';
import type { ActionPlace } from '../../schedules/dependencies';
import type { Schedule } from '../../schedules/schedule';
import { toCsv } from '../../schedules/schedule-text';

type Orders = Schedule['orders'];

export interface Draft {
  /** The numbers of ranks, stages and micro-batches, and the stages' ranks, which edits do not change. */
  readonly size: Pick<Schedule, 'ranks' | 'stages' | 'microBatches' | 'rankOfStage'>;
  readonly orders: Orders;
  /** Oldest first. */
  readonly past: readonly Orders[];
  /** The next state for redo comes first. */
  readonly future: readonly Orders[];
}

const MOST_STEPS = 500;

export function draftOf({ ranks, stages, microBatches, rankOfStage, orders }: Schedule): Draft {
  return { size: { ranks, stages, microBatches, rankOfStage }, orders, past: [], future: [] };
}

export const scheduleOfDraft = ({ size, orders }: Draft): Schedule => ({ name: undefined, ...size, orders });

/** The draft in the form of the setting pipeline.actions: one row per rank, no line end after the last. */
export const actionsText = (draft: Draft): string => toCsv(scheduleOfDraft(draft)).trimEnd();

const isSame = (a: Orders, b: Orders): boolean =>
  a.length === b.length &&
  a.every((order, rank) => {
    const other = at(b, rank);
    return order.length === other.length && order.every((cell, index) => sameCell(cell, at(other, index)));
  });

function changed(draft: Draft, orders: Orders): Draft {
  if (isSame(draft.orders, orders)) return draft;
  return { ...draft, orders, past: [...draft.past, draft.orders].slice(-MOST_STEPS), future: [] };
}

const withRow = (
  draft: Draft,
  rank: number,
  edit: (order: readonly ScheduleCell[]) => readonly ScheduleCell[],
): Draft =>
  changed(
    draft,
    draft.orders.map((order, index) => (index === rank ? edit(order) : order)),
  );

/** Replaces all cells, by a schedule of the same size or by nothing; undo restores the earlier cells. */
export const withOrders = (draft: Draft, orders: Orders): Draft => changed(draft, orders);

export const emptied = (draft: Draft): Draft =>
  changed(
    draft,
    draft.orders.map(() => []),
  );

/** Inserts a cell at this place; the cells from there on move up. */
export const inserted = (draft: Draft, { rank, index }: ActionPlace, cell: ScheduleCell): Draft =>
  withRow(draft, rank, (order) => order.toSpliced(index, 0, cell));

export const removed = (draft: Draft, { rank, index }: ActionPlace): Draft =>
  withRow(draft, rank, (order) => order.toSpliced(index, 1));

export const replaced = (draft: Draft, { rank, index }: ActionPlace, cell: ScheduleCell): Draft =>
  withRow(draft, rank, (order) => (index < order.length ? order.with(index, cell) : order));

/**
 * Joins the cell and the next one into a pair that may overlap, the forward first; splits a pair. Returns a text if the
 * two cannot be a pair.
 */
export function pairedOrApart(draft: Draft, { rank, index }: ActionPlace): Draft | string {
  const order = at(draft.orders, rank);
  const cell = order[index];
  if (cell && isPair(cell)) return withRow(draft, rank, (own) => own.toSpliced(index, 1, ...cell.pair));
  const next = order[index + 1];
  if (!cell || !next || isPair(next))
    return 'A pair needs two single cells beside each other: a forward pass and a backward pass.';
  const forward = [cell, next].find(({ kind }) => kind === 'F');
  const backward = [cell, next].find(({ kind }) => kind === 'B' || kind === 'I');
  if (!forward || !backward)
    return `A pair is a forward pass (F) and a backward pass (B or I), not ${cell.kind} and ${next.kind}.`;
  return withRow(draft, rank, (own) => own.toSpliced(index, 2, { pair: [forward, backward] }));
}

/** Moves a cell within its row. `to`: its new index, limited to the row's ends. */
export function moved(draft: Draft, { rank, index }: ActionPlace, to: number): Draft {
  return withRow(draft, rank, (order) => {
    const cell = order[index];
    if (cell === undefined) return order;
    const rest = order.toSpliced(index, 1);
    return rest.toSpliced(Math.min(Math.max(to, 0), rest.length), 0, cell);
  });
}

export function undone(draft: Draft): Draft {
  const orders = draft.past.at(-1);
  return orders === undefined
    ? draft
    : { ...draft, orders, past: draft.past.slice(0, -1), future: [draft.orders, ...draft.future] };
}

export function redone(draft: Draft): Draft {
  const [orders, ...future] = draft.future;
  return orders === undefined ? draft : { ...draft, orders, past: [...draft.past, draft.orders], future };
}

/** The rank's stages. */
export const stagesOfRank = ({ size }: Draft, rank: number): readonly number[] =>
  size.rankOfStage.flatMap((home, stage) => (home === rank ? [stage] : []));

/** The kinds of action that exclude an action of this kind for the same stage and micro-batch. */
const RIVALS: Readonly<Record<Computation, readonly Computation[]>> = {
  F: ['F'],
  B: ['B', 'I', 'W'],
  I: ['I', 'B'],
  W: ['W', 'B'],
};

/**
 * The next action of this kind that a row lacks: of the preferred stage if possible, with the lowest micro-batch.
 * Undefined: the row has all of them.
 */
export function nextAction(
  draft: Draft,
  rank: number,
  kind: Computation,
  preferred: number | undefined,
): PipelineAction | undefined {
  const there = new Set(at(draft.orders, rank).flatMap(partsOf).map(keyOf));
  const own = stagesOfRank(draft, rank);
  const stages = preferred === undefined ? own : [preferred, ...own.filter((stage) => stage !== preferred)];
  for (const stage of stages) {
    for (let microBatch = 0; microBatch < draft.size.microBatches; microBatch++) {
      if (RIVALS[kind].every((rival) => !there.has(keyOf(action(stage, rival, microBatch)))))
        return action(stage, kind, microBatch);
    }
  }
  return undefined;
}
