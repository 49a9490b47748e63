/**
 * Checks whether a schedule can run: every forward and backward pass once, on the rank of its stage, after its
 * dependencies, and no ranks that wait for one another in a circle. Called before anything runs, and by the editor
 * after every change.
 */
import { LockstepError } from '../base/errors';
import type { Computation, PipelineAction } from '../protocol/pipeline';
import { action, isPair, keyOf, partsOf, type ScheduleCell } from './cell';
import { printAction, printCell } from './cell-text';
import { type Complaint, ComplaintList } from './complaint';
import { deadlockOf } from './deadlock';
import { type ActionPlace, type ActionPlaces, placesOf } from './dependencies';
import { isMisprinted1F1B } from './misprint';
import type { Schedule } from './schedule';

export type { Complaint } from './complaint';
export { dependenciesOf } from './dependencies';

/** All complaints, in the order in which one would fix them: at most some 20, then the number of further ones. */
export function complaintsOf(schedule: Schedule): readonly Complaint[] {
  const list = new ComplaintList();
  const misfit = misfitOf(schedule);
  if (misfit !== undefined) {
    list.add(() => ({ rank: 0, index: undefined, cell: undefined, kind: 'size', message: misfit }));
    return list.all();
  }
  const places = placesOf(schedule);
  findIdleRanks(schedule, list);
  eachCell(schedule, (cell, place) => {
    checkPair(cell, place, places, list);
    for (const part of partsOf(cell)) checkAction(part, { cell, place, schedule, places, list });
  });
  findMissing(schedule, places, list);
  eachCell(schedule, (cell, place) => {
    checkOrder(cell, place, places, list);
  });
  const deadlock = deadlockOf(schedule, places);
  if (deadlock) list.add(() => deadlock);
  return list.all();
}

/** Mismatching numbers and lists, after which nothing else can be checked. */
function misfitOf({ ranks, stages, orders, rankOfStage }: Schedule): string | undefined {
  if (orders.length !== ranks || rankOfStage.length !== stages)
    return `there are orders of ${orders.length} ranks and places of ${rankOfStage.length} stages for ${ranks} ranks and ${stages} stages`;
  const nowhere = rankOfStage.findIndex((rank) => !isBelow(rank, ranks));
  if (nowhere < 0) return undefined;
  return `stage ${nowhere} is on rank ${rankOfStage[nowhere]}, but there are ranks 0 to ${ranks - 1}`;
}

/** Ranks without stages; torch has at least one stage on each rank. */
function findIdleRanks({ ranks, rankOfStage }: Schedule, list: ComplaintList): void {
  const busy = new Set(rankOfStage);
  for (let rank = 0; rank < ranks; rank++) {
    const message = `rank ${rank} has no stage: every rank of a pipeline needs at least one`;
    if (!busy.has(rank)) list.add(() => ({ rank, index: undefined, cell: undefined, kind: 'size', message }));
  }
}

/** Throws a LockstepError of code 'schedule' that names ranks, actions and the missing dependency. */
export function checkSchedule(schedule: Schedule): void {
  const complaints = complaintsOf(schedule);
  if (complaints.length === 0) return;
  const sentences = complaints.slice(0, MOST_SAID).map(({ message }) => message);
  const left = complaints.length - sentences.length;
  const more = left > 0 ? [`and ${complaints.at(-1)?.kind === 'more' ? 'many' : left} more`] : [];
  const message = `the schedule cannot run: ${[...sentences, ...more].join('; ')}`;
  throw new LockstepError('schedule', message, hintFor(schedule, complaints), { complaints });
}

/** The message quotes this many complaints; the error's details have all. */
const MOST_SAID = 3;

function hintFor(schedule: Schedule, [first]: readonly Complaint[]): string {
  if (isMisprinted1F1B(schedule))
    return 'This is 1F1B as torch 2.13 prints it: in the row of the last rank, the micro-batch number of each forward pass is too high by one. Lower these numbers by one: this is the order that torch runs.';
  return first?.kind === 'deadlock'
    ? 'Move one of these actions before the one that waits for it, so that a rank can continue.'
    : 'Every rank runs the forward pass and the backward pass (B, or I and then W) of each of its stages once per micro-batch.';
}

function eachCell({ orders }: Schedule, look: (cell: ScheduleCell, place: ActionPlace) => void): void {
  for (const [rank, order] of orders.entries()) {
    for (const [index, cell] of order.entries()) look(cell, { rank, index });
  }
}

/** The number of a cell for readers, from 1. */
const cellNumber = ({ index }: ActionPlace): string => `cell ${index + 1}`;

interface Look {
  readonly cell: ScheduleCell;
  readonly place: ActionPlace;
  readonly schedule: Schedule;
  readonly places: ActionPlaces;
  readonly list: ComplaintList;
}

/** Checks a single action: it exists, is on its rank, and occurs once. */
function checkAction(part: PipelineAction, { cell, place, schedule, places, list }: Look): void {
  const { rank, index } = place;
  const { stages, microBatches, rankOfStage } = schedule;
  const text = printAction(part);
  if (!isBelow(part.stage, stages) || !isBelow(part.microBatch, microBatches)) {
    const message = `rank ${rank} runs ${text}, but the stages are 0 to ${stages - 1} and the micro-batches 0 to ${microBatches - 1}`;
    list.add(() => ({ rank, index, cell, kind: 'range', message }));
    return;
  }
  const home = rankOfStage[part.stage];
  if (home !== rank) {
    const message = `rank ${rank} runs ${text} (${cellNumber(place)}), but stage ${part.stage} is on rank ${home}`;
    list.add(() => ({ rank, index, cell, kind: 'rank', message }));
  }
  const first = places.placeOf(part);
  if (first && !isFirst(part, cell, place, first)) {
    const where = `rank ${first.rank} at ${cellNumber(first)} and rank ${rank} at ${cellNumber(place)}`;
    list.add(() => ({ rank, index, cell, kind: 'twice', message: `${text} runs twice: ${where}` }));
  }
  if (part.kind === 'B') {
    const half = (['I', 'W'] as const).map((kind) => ({ ...part, kind })).find((other) => places.placeOf(other));
    const message = `the schedule has both ${text} and ${half ? printAction(half) : ''}: a backward is either whole (B) or split (I and W)`;
    if (half) list.add(() => ({ rank, index, cell, kind: 'both', message }));
  }
}

const isBelow = (number: number, end: number): boolean => Number.isInteger(number) && number >= 0 && number < end;

function isFirst(part: PipelineAction, cell: ScheduleCell, place: ActionPlace, first: ActionPlace): boolean {
  const twin = isPair(cell) && keyOf(cell.pair[0]) === keyOf(cell.pair[1]) && part === cell.pair[1];
  return place.rank === first.rank && place.index === first.index && !twin;
}

function checkPair(cell: ScheduleCell, place: ActionPlace, places: ActionPlaces, list: ComplaintList): void {
  if (!isPair(cell)) return;
  const [forward, backward] = cell.pair;
  const complain = (why: string): void => {
    const message = `rank ${place.rank} pairs ${printCell(cell)} (${cellNumber(place)}), but ${why}`;
    list.add(() => ({ ...place, cell, kind: 'pair', message }));
  };
  if (forward.kind !== 'F' || (backward.kind !== 'B' && backward.kind !== 'I'))
    complain('a pair must be a forward pass followed by a backward pass');
  else if (places.dependenciesOf(backward).some((needed) => keyOf(needed) === keyOf(forward)))
    complain('the two passes start together, so neither may need the result of the other');
}

/** Forward and backward passes that no rank runs. */
function findMissing({ stages, microBatches, rankOfStage }: Schedule, places: ActionPlaces, list: ComplaintList): void {
  const miss = (missing: PipelineAction, what: string): void =>
    list.add(() => {
      const rank = rankOfStage[missing.stage] ?? 0;
      const reader = readerOf(missing, places);
      const needed = reader ? `, which ${printAction(reader.action)} of rank ${reader.rank} needs` : '';
      const message = `rank ${rank} never runs ${what}${needed}`;
      return { rank, index: undefined, cell: undefined, kind: 'missing', message, missing };
    });
  for (let stage = 0; stage < stages; stage++) {
    for (let microBatch = 0; microBatch < microBatches; microBatch++) {
      const of = (kind: Computation): PipelineAction => action(stage, kind, microBatch);
      const [F, B, I, W] = [of('F'), of('B'), of('I'), of('W')] as const;
      if (!places.placeOf(F)) miss(F, printAction(F));
      if (places.placeOf(B)) continue;
      const [hasI, hasW] = [places.placeOf(I), places.placeOf(W)];
      if (!hasI && !hasW) miss(B, `${printAction(B)} (nor ${printAction(I)} and ${printAction(W)})`);
      else if (!hasI) miss(I, `${printAction(I)}, the other half of ${printAction(W)}`);
      else if (!hasW) miss(W, `${printAction(W)}, the other half of ${printAction(I)}`);
    }
  }
}

/** The action that waits for it in vain: of the neighbouring stage, or the stage's own backward pass. */
function readerOf(
  { stage, kind, microBatch }: PipelineAction,
  { placeOf }: ActionPlaces,
): { readonly action: PipelineAction; readonly rank: number } | undefined {
  const backwards = (of: number) => [action(of, 'B', microBatch), action(of, 'I', microBatch)];
  const readers = kind === 'F' ? [action(stage + 1, 'F', microBatch), ...backwards(stage)] : backwards(stage - 1);
  if (kind === 'W') return undefined;
  return readers
    .map((reader) => ({ action: reader, rank: placeOf(reader)?.rank }))
    .find((reader): reader is { action: PipelineAction; rank: number } => reader.rank !== undefined);
}

/** Complains about an action that a rank runs before its own dependency. */
function checkOrder(cell: ScheduleCell, place: ActionPlace, places: ActionPlaces, list: ComplaintList): void {
  for (const part of partsOf(cell)) {
    for (const needed of places.dependenciesOf(part)) {
      const other = places.placeOf(needed);
      if (other?.rank !== place.rank || other.index <= place.index) continue;
      const where = `(${cellNumber(place)}) before ${printAction(needed)} (${cellNumber(other)})`;
      const message = `rank ${place.rank} runs ${printAction(part)} ${where}, which ${printAction(part)} needs`;
      list.add(() => ({ ...place, cell, kind: 'order', message, missing: needed }));
    }
  }
}
