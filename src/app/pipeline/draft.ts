/**
 * A schedule that somebody is building: the orders of its ranks, every state before and after for undo and redo, and
 * the edits. An edit may leave it illegal: schedules/check.ts says so. Pure and plain data; the store keeps one.
 */
import { at } from '../../base/invariant';
import type { Computation, PipelineAction } from '../../protocol/pipeline';
import { action, isPair, keyOf, partsOf, type ScheduleCell, sameCell } from '../../schedules/cell';
import type { ActionPlace } from '../../schedules/dependencies';
import type { Schedule } from '../../schedules/schedule';
import { toCsv } from '../../schedules/text';

type Orders = Schedule['orders'];

export interface Draft {
  /** Ranks, stages, micro-batches and where stages are do not change. */
  readonly size: Pick<Schedule, 'ranks' | 'stages' | 'microBatches' | 'rankOfStage'>;
  readonly orders: Orders;
  /** Oldest first. */
  readonly past: readonly Orders[];
  /** What redo brings next comes first. */
  readonly future: readonly Orders[];
}

const MOST_STEPS = 500;

export function draftOf({ ranks, stages, microBatches, rankOfStage, orders }: Schedule): Draft {
  return { size: { ranks, stages, microBatches, rankOfStage }, orders, past: [], future: [] };
}

export const scheduleOfDraft = ({ size, orders }: Draft): Schedule => ({ name: undefined, ...size, orders });

/** As the setting pipeline.actions has it: one row per rank, without a line end after the last. */
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

/** Another schedule of the same size, or nothing at all; what was there can be taken back by undo. */
export const withOrders = (draft: Draft, orders: Orders): Draft => changed(draft, orders);

export const emptied = (draft: Draft): Draft =>
  changed(
    draft,
    draft.orders.map(() => []),
  );

/** The new cell is at that place; those from there on move up. */
export const inserted = (draft: Draft, { rank, index }: ActionPlace, cell: ScheduleCell): Draft =>
  withRow(draft, rank, (order) => order.toSpliced(index, 0, cell));

export const removed = (draft: Draft, { rank, index }: ActionPlace): Draft =>
  withRow(draft, rank, (order) => order.toSpliced(index, 1));

export const replaced = (draft: Draft, { rank, index }: ActionPlace, cell: ScheduleCell): Draft =>
  withRow(draft, rank, (order) => (index < order.length ? order.with(index, cell) : order));

/**
 * The cell and the one behind it as a pair that may overlap, the forward first; a pair is taken apart. A text: why the
 * two are none.
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

/** `to`: where it is afterwards, in the same row; beyond an end it goes to that end. */
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

/** Stages that the rank has. */
export const stagesOfRank = ({ size }: Draft, rank: number): readonly number[] =>
  size.rankOfStage.flatMap((home, stage) => (home === rank ? [stage] : []));

/** What a stage and micro-batch cannot have besides an action of that kind. */
const RIVALS: Readonly<Record<Computation, readonly Computation[]>> = {
  F: ['F'],
  B: ['B', 'I', 'W'],
  I: ['I', 'B'],
  W: ['W', 'B'],
};

/**
 * The action of that kind that a row lacks: of the preferred stage where it lacks one there, with the lowest number of
 * a micro-batch. Undefined: the row has them all.
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
