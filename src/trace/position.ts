/**
 * The stops of the cursor, forward and back: by single events, moments, rounds of a collective, or phases. A cursor is
 * an index into trace.events (-1: before the first) and the progress of that event (see moments/moment.ts). Pure;
 * called by the transport.
 */
import type { StepTrace } from '../protocol/trace';
import { isTransfer, roundKey } from './moments/group-keys';
import { lastOf, type Moment, type Position } from './moments/moment';
import { momentsOf } from './moments/moments';

/**
 * The length of one stride. A phase ends with forward, loss, backward, half an all-reduce of a bucket, or the update;
 * in a pipeline also with the end of filling, the last forward pass and the last backward pass.
 */
export type Stride = 'event' | 'moment' | 'round' | 'phase';

/** The next stop; after the last, the end of the step. If the cursor is inside a moment, the end of that moment. */
export function nextStop(trace: StepTrace, { event, fraction }: Position, stride: Stride): number {
  const done = fraction < 1 ? event - 1 : event;
  return stopsOf(trace, stride).find((stop) => stop > done) ?? trace.events.length - 1;
}

/** The previous stop; -1 (before the first event) if there is none. */
export const previousStop = (trace: StepTrace, event: number, stride: Stride): number =>
  stopsOf(trace, stride).findLast((stop) => stop < event) ?? -1;

/** The events at which a cursor that walks with such strides rests, ascending. */
export function stopsOf(trace: StepTrace, stride: Stride): readonly number[] {
  if (stride === 'event') return trace.events.map((_, index) => index);
  const moments = momentsOf(trace);
  if (stride === 'moment') return moments.map(lastOf);
  if (stride === 'round') return moments.flatMap((moment) => roundsIn(trace, moment));
  const sections = sectionsOf(moments);
  return moments.filter((_, index) => sections.lastIndexOf(sections[index] ?? '') === index).map(lastOf);
}

/**
 * The ends of the rounds and messages in a moment. A moment of one round or of a turn's messages has one end. A whole
 * collective, an average of a stage and a turn may have several: the layers of a turn may need collectives, and a
 * window of turns includes their messages.
 */
function roundsIn({ events }: StepTrace, moment: Moment): readonly number[] {
  const { kind, round, turn } = moment;
  if ((round && !round.whole) || (kind === 'message' && !turn?.withMessages)) return [lastOf(moment)];
  const ends = new Map<string, number>();
  for (const index of moment.events) {
    const e = events[index];
    if (e && isTransfer(e)) ends.set(roundKey(e), index);
  }
  return [...ends.values()].sort((a, b) => a - b);
}

/** By moment, its phase. An overlapping moment does not end the phase that it overlaps with. */
function sectionsOf(moments: readonly Moment[]): readonly string[] {
  const sections: string[] = [];
  for (const moment of moments.toReversed()) {
    // A load belongs to the phase that follows it.
    const next = sections.at(-1);
    sections.push(moment.kind === 'load' && next !== undefined ? next : sectionOf(moment));
  }
  return sections.reverse();
}

function sectionOf({ phase, round, bucket, turn }: Moment): string {
  if (turn) return turn.stretch;
  return round?.op === 'allReduce' && bucket !== undefined ? `bucket ${bucket} ${round.part ?? ''}` : phase;
}
