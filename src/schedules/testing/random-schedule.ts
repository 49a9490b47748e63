/**
 * A fast-check arbitrary of schedules that nobody has named and that can run: any placement of the stages, backwards
 * whole or split as it comes, pairs where two neighbours may be one, and each rank's order a part of one random order
 * of all actions, so that there is no deadlock. It shrinks towards one rank, one stage and whole backwards. Property
 * tests of the compiler and the engine draw from it.
 */
import * as fc from 'fast-check';
import { at } from '../../base/invariant';
import type { PipelineAction } from '../../protocol/pipeline';
import { action, keyOf, type ScheduleCell } from '../cell';
import { complaintsOf } from '../check-schedule';
import { placesOf } from '../dependencies';
import { count } from '../orders/order-maker';
import { ranksOfStages } from '../placement';
import type { Schedule } from '../schedule';

export interface RandomLimits {
  readonly ranks?: number;
  readonly stagesPerRank?: number;
  readonly microBatches?: number;
  /** Whether pairs may occur. */
  readonly pairs?: boolean;
}

interface Draws {
  readonly ranks: number;
  readonly stagesPerRank: number;
  readonly microBatches: number;
  readonly placement: 'loop' | 'v' | 'any';
  /** Read one after the other and from the start again: each decides one thing. */
  readonly choices: readonly number[];
  readonly pairs: boolean;
}

export function randomSchedules({
  ranks = 4,
  stagesPerRank = 3,
  microBatches = 5,
  pairs = true,
}: RandomLimits = {}): fc.Arbitrary<Schedule> {
  return fc
    .record({
      ranks: fc.integer({ min: 1, max: ranks }),
      stagesPerRank: fc.integer({ min: 1, max: stagesPerRank }),
      microBatches: fc.integer({ min: 1, max: microBatches }),
      placement: fc.constantFrom('loop' as const, 'v' as const, 'any' as const),
      choices: fc.array(fc.nat({ max: 2 ** 20 }), { minLength: 1, maxLength: 97 }),
      pairs: pairs ? fc.boolean() : fc.constant(false),
    })
    .map(scheduleOf);
}

function scheduleOf(draws: Draws): Schedule {
  const { ranks, stagesPerRank, microBatches } = draws;
  const stages = ranks * stagesPerRank;
  const choose = chooser(draws.choices);
  const rankOfStage =
    draws.placement === 'any' ? anyPlacement(stages, ranks, choose) : ranksOfStages(draws.placement, stages, ranks);
  const orders: readonly PipelineAction[][] = count(ranks).map(() => []);
  for (const next of anyOrder(allActions(stages, microBatches, choose), stages, choose))
    at(orders, at(rankOfStage, next.stage)).push(next);
  const schedule: Schedule = { name: undefined, ranks, stages, microBatches, rankOfStage, orders };
  return draws.pairs ? withPairs(schedule) : schedule;
}

/** A number below `end`; the empty and the exhausted list of choices give the first. */
type Choose = (end: number) => number;

function chooser(choices: readonly number[]): Choose {
  let next = 0;
  return (end) => {
    // The prime factor keeps short lists from repeating the same choice over and over.
    const turn = Math.floor(next / choices.length);
    const choice = at(choices, next++ % choices.length);
    return (choice * (1 + 7919 * turn)) % end;
  };
}

/** Every rank has a stage, and each further stage is anywhere. */
function anyPlacement(stages: number, ranks: number, choose: Choose): readonly number[] {
  const places = count(stages).map((stage) => (stage < ranks ? stage : choose(ranks)));
  return places.map((_, stage) => {
    const other = stage + choose(stages - stage);
    const rank = at(places, other);
    places[other] = at(places, stage);
    return rank;
  });
}

const allActions = (stages: number, microBatches: number, choose: Choose): readonly PipelineAction[] =>
  count(stages).flatMap((stage) =>
    count(microBatches).flatMap((microBatch) => [
      action(stage, 'F', microBatch),
      ...(choose(2) === 0
        ? [action(stage, 'B', microBatch)]
        : [action(stage, 'I', microBatch), action(stage, 'W', microBatch)]),
    ]),
  );

/** The actions in an order in which each comes after what it needs. */
function anyOrder(actions: readonly PipelineAction[], stages: number, choose: Choose): readonly PipelineAction[] {
  const { dependenciesOf } = placesOf({ orders: [actions], stages });
  const open = new Map(actions.map((one) => [keyOf(one), dependenciesOf(one).length]));
  const readers = new Map<number, PipelineAction[]>();
  for (const one of actions) {
    for (const needed of dependenciesOf(one)) readers.set(keyOf(needed), [...(readers.get(keyOf(needed)) ?? []), one]);
  }
  const ready = actions.filter((one) => open.get(keyOf(one)) === 0);
  const order: PipelineAction[] = [];
  while (ready.length > 0) {
    const [next] = ready.splice(choose(ready.length), 1);
    if (!next) break;
    order.push(next);
    for (const reader of readers.get(keyOf(next)) ?? []) {
      const left = (open.get(keyOf(reader)) ?? 0) - 1;
      open.set(keyOf(reader), left);
      if (left === 0) ready.push(reader);
    }
  }
  return order;
}

/** Joins every forward with the whole backward that follows it, rank by rank, where the schedule can still run. */
function withPairs(schedule: Schedule): Schedule {
  let joined = schedule;
  for (const rank of count(schedule.ranks)) {
    const orders = joined.orders.map((order, other) => (other === rank ? inPairs(order) : order));
    const paired = { ...joined, orders };
    if (complaintsOf(paired).length === 0) joined = paired;
  }
  return joined;
}

function inPairs(order: readonly ScheduleCell[]): readonly ScheduleCell[] {
  const cells: ScheduleCell[] = [];
  for (const cell of order) {
    const last = cells.at(-1);
    const fits = last && 'kind' in last && last.kind === 'F' && 'kind' in cell && cell.kind === 'B';
    if (fits) cells.splice(-1, 1, { pair: [last, cell] });
    else cells.push(cell);
  }
  return cells;
}
