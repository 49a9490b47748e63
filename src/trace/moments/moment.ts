/**
 * A moment: what the devices of a step do together. The same layer computed by every rank is one moment, and so is one
 * round of a collective, in which every rank sends and receives. Late ranks are in the moment of the others. Plain data
 * and functions that read it; moments.ts makes it.
 *
 * How a cursor walks it: `byMoments` puts the events of a trace in the order of its moments, so that a moment is one
 * stretch of trace.events. A cursor (event, fraction) with fraction 1 rests: this event and all earlier ones are done.
 * A fraction below 1 is inside the event's moment: none of the moment is done, all of it is running, and `progressIn`
 * tells how far, from its first event (0) to the end of its last (1). So the packets of a round fly together, and a
 * cursor can still rest on a single event.
 */
import type { CollectiveOp } from '../../protocol/collective';
import type { CollectiveRef, Phase, StepTrace } from '../../protocol/trace';
import type { Turn } from '../pipeline/pipeline-turns';
import type { StageAverage } from '../pipeline/stage-averages';

/**
 * load: from the DataLoader. compute: operators of one layer, or of none. round: one round of a collective. message:
 * transfers outside collectives. copy: packing and unpacking. update: the optimiser.
 */
export type MomentKind = 'load' | 'compute' | 'round' | 'message' | 'copy' | 'update';

export interface MomentRound {
  readonly seq: number;
  readonly op: CollectiveOp;
  readonly part?: 'reduce-scatter' | 'all-gather';
  /** From 0, over both halves of an all-reduce. */
  readonly index: number;
  readonly count: number;
  /** All rounds of the collective are in the moment. */
  readonly whole: boolean;
  /** The collective of the first transfer; chunk and sum differ between ranks. */
  readonly collective: CollectiveRef;
}

/** The position of a cursor. */
export interface Position {
  /** Index into trace.events; -1: before the first. */
  readonly event: number;
  /** 0..1; 1: the event is done. */
  readonly fraction: number;
}

export interface Moment {
  readonly index: number;
  readonly phase: Phase;
  readonly kind: MomentKind;
  /** Indices into trace.events, ascending; every event is in exactly one moment. Never empty. */
  readonly events: readonly number[];
  /** '' if none. */
  readonly module: string;
  readonly bucket?: number;
  readonly round?: MomentRound;
  /** In a pipeline: the turn of the actions that run, or whose results are sent. */
  readonly turn?: Turn;
  /** In a pipeline with replicas and many stages: the whole all-reduce of a stage's gradients. */
  readonly average?: StageAverage;
}

/** A trace in the order of its moments: each moment is one stretch of `events`. The page stores traces in this form. */
export interface MomentTrace extends StepTrace {
  readonly moments: readonly Moment[];
}

export const hasMoments = (trace: StepTrace): trace is MomentTrace => 'moments' in trace;

export const firstOf = ({ events }: Moment): number => events[0] ?? 0;
export const lastOf = ({ events }: Moment): number => events.at(-1) ?? 0;

/** The moment that an event is in. */
export function momentAt(moments: readonly Moment[], event: number): Moment | undefined {
  return moments.find((moment) => firstOf(moment) <= event && event <= lastOf(moment) && moment.events.includes(event));
}

/** The progress of the moment, 0..1, for a cursor of a MomentTrace. */
export function progressIn(moment: Moment, { event, fraction }: Position): number {
  const first = firstOf(moment);
  return Math.min(1, Math.max(0, (event + fraction - first) / (lastOf(moment) + 1 - first)));
}

/** The last event that is done at a cursor; inside a moment, the last event of the previous moment. */
export function doneAt(moments: readonly Moment[], { event, fraction }: Position): number {
  if (fraction >= 1) return event;
  const moment = momentAt(moments, event);
  return moment ? firstOf(moment) - 1 : event - 1;
}
