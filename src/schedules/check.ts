/**
 * Whether a schedule can run: every forward and backward once, on the rank of its stage, after what it needs, and no
 * ranks that wait for one another in a circle. Called before anything runs, and by the editor after every change.
 */
import { LockstepError } from '../base/errors';
import type { PipelineAction } from '../protocol/pipeline';
import { action, type Cell, isPair, keyOf, partsOf } from './cell';
import { printAction, printCell } from './cell-text';
import { type Complaint, ComplaintList } from './complaint';
import { deadlockOf } from './deadlock';
import { type ActionPlaces, type Place, placesOf } from './dependencies';
import { isMisprinted1F1B } from './misprint';
import type { Schedule } from './schedule';

export type { Complaint } from './complaint';
export { dependenciesOf } from './dependencies';

/** All that is wrong, in the order in which one would mend it: at most some 20, then how many more. */
export function complaintsOf(schedule: Schedule): readonly Complaint[] {
  const list = new ComplaintList();
  const { ranks, stages, orders, rankOfStage } = schedule;
  if (orders.length !== ranks || rankOfStage.length !== stages || rankOfStage.some((rank) => !(rank in orders))) {
    const message = `there are orders of ${orders.length} ranks and places of ${rankOfStage.length} stages for ${ranks} ranks and ${stages} stages`;
    list.add(() => ({ rank: 0, index: undefined, cell: undefined, kind: 'size', message }));
    return list.all();
  }
  const places = placesOf(schedule);
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

/** Throws a LockstepError of code 'schedule' that names ranks, actions and the dependency that is missing. */
export function checkSchedule(schedule: Schedule): void {
  const complaints = complaintsOf(schedule);
  if (complaints.length === 0) return;
  const sentences = complaints.slice(0, MOST_SAID).map(({ message }) => message);
  const left = complaints.length - sentences.length;
  const more = left > 0 ? [`and ${complaints.at(-1)?.kind === 'more' ? 'many' : left} more`] : [];
  const message = `the schedule cannot run: ${[...sentences, ...more].join('; ')}`;
  throw new LockstepError('schedule', message, hintFor(schedule, complaints), { complaints });
}

/** The message quotes so many complaints; the error's details have all. */
const MOST_SAID = 3;

function hintFor(schedule: Schedule, [first]: readonly Complaint[]): string {
  if (isMisprinted1F1B(schedule))
    return 'This is 1F1B as torch 2.13 prints it: on the last rank it writes each forward one micro-batch too high. Lower them by one; that is what torch runs.';
  return first?.kind === 'deadlock'
    ? 'Move one of these actions before the one that waits, so that some rank can go on.'
    : 'Every rank runs the forward and the backward (B, or I and then W) of each of its stages once per micro-batch.';
}

function eachCell({ orders }: Schedule, look: (cell: Cell, place: Place) => void): void {
  for (const [rank, order] of orders.entries()) {
    for (const [index, cell] of order.entries()) look(cell, { rank, index });
  }
}

/** Where a cell is, as people count: from 1. */
const cellNumber = ({ index }: Place): string => `cell ${index + 1}`;

interface Look {
  readonly cell: Cell;
  readonly place: Place;
  readonly schedule: Schedule;
  readonly places: ActionPlaces;
  readonly list: ComplaintList;
}

/** An action by itself: does it exist, is it on its rank, is it there once? */
function checkAction(part: PipelineAction, { cell, place, schedule, places, list }: Look): void {
  const { rank, index } = place;
  const { stages, microBatches, rankOfStage } = schedule;
  const text = printAction(part);
  if (!isBelow(part.stage, stages) || !isBelow(part.microBatch, microBatches)) {
    const message = `rank ${rank} runs ${text}, but there are stages 0 to ${stages - 1} and micro-batches 0 to ${microBatches - 1}`;
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
    const message = `both ${text} and ${half ? printAction(half) : ''} are there: a backward is either whole (B) or split (I and W)`;
    if (half) list.add(() => ({ rank, index, cell, kind: 'both', message }));
  }
}

const isBelow = (number: number, end: number): boolean => Number.isInteger(number) && number >= 0 && number < end;

function isFirst(part: PipelineAction, cell: Cell, place: Place, first: Place): boolean {
  const twin = isPair(cell) && keyOf(cell.pair[0]) === keyOf(cell.pair[1]) && part === cell.pair[1];
  return place.rank === first.rank && place.index === first.index && !twin;
}

function checkPair(cell: Cell, place: Place, places: ActionPlaces, list: ComplaintList): void {
  if (!isPair(cell)) return;
  const [forward, backward] = cell.pair;
  const complain = (why: string): void => {
    const message = `rank ${place.rank} pairs ${printCell(cell)} (${cellNumber(place)}), but ${why}`;
    list.add(() => ({ ...place, cell, kind: 'pair', message }));
  };
  if (forward.kind !== 'F' || (backward.kind !== 'B' && backward.kind !== 'I'))
    complain('a pair is a forward and then a backward');
  else if (places.dependenciesOf(backward).some((needed) => keyOf(needed) === keyOf(forward)))
    complain('the two start together and so neither may need the other');
}

/** Forwards and backwards that no rank runs. */
function findMissing({ stages, microBatches, rankOfStage }: Schedule, places: ActionPlaces, list: ComplaintList): void {
  for (let stage = 0; stage < stages; stage++) {
    const rank = rankOfStage[stage] ?? 0;
    const miss = (missing: PipelineAction, why: string): void =>
      list.add(() => ({
        rank,
        index: undefined,
        cell: undefined,
        kind: 'missing',
        message: `rank ${rank} never runs ${printAction(missing)}${why}`,
        missing,
      }));
    for (let microBatch = 0; microBatch < microBatches; microBatch++) {
      const has = (kind: PipelineAction['kind']): boolean =>
        places.placeOf(action(stage, kind, microBatch)) !== undefined;
      if (!has('F')) miss(action(stage, 'F', microBatch), '');
      if (has('B')) continue;
      const [input, weights] = [has('I'), has('W')];
      if (!input && !weights) miss(action(stage, 'B', microBatch), ', neither whole nor split into I and W');
      else if (!input) miss(action(stage, 'I', microBatch), `, which ${stage}W${microBatch} goes with`);
      else if (!weights) miss(action(stage, 'W', microBatch), `, which ${stage}I${microBatch} goes with`);
    }
  }
}

/** What a rank runs before its own later actions that it needs. */
function checkOrder(cell: Cell, place: Place, places: ActionPlaces, list: ComplaintList): void {
  for (const part of partsOf(cell)) {
    for (const needed of places.dependenciesOf(part)) {
      const other = places.placeOf(needed);
      if (other?.rank !== place.rank || other.index <= place.index) continue;
      const where = `(${cellNumber(place)}) before ${printAction(needed)} (${cellNumber(other)})`;
      const message = `rank ${place.rank} runs ${printAction(part)} ${where}, which it needs`;
      list.add(() => ({ ...place, cell, kind: 'order', message, missing: needed }));
    }
  }
}
