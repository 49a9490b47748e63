/**
 * How fast a cursor goes over the events of a trace so that every moment has its share of the time, however many ranks
 * are in it: one per moment, half for preparations (loading, packing). Pure; the transport's walks ask it.
 */
import type { StepTrace } from '../../protocol/trace';
import { hasMoments, type Moment } from '../../trace/moments/moment';

export interface MomentShares {
  /** Number of moments in the walk. */
  readonly moments: number;
  /** Events per second at an event, where the whole takes one second. */
  rateAt(event: number): number;
}

/** A whole collective has the more time the more rounds it has. */
const shareOf = ({ kind, round }: Moment): number =>
  kind === 'load' || kind === 'copy' ? 0.5 : round?.whole ? Math.max(1, round.count / 3) : 1;

/** `end`: the last event that is walked over. */
export function momentShares(trace: StepTrace, end = trace.events.length - 1): MomentShares {
  // Without moments each event is one.
  if (!hasMoments(trace)) return { moments: end + 1, rateAt: () => end + 1 };
  const walked = trace.moments.filter(({ events }) => (events[0] ?? 0) <= end);
  const total = walked.reduce((sum, moment) => sum + shareOf(moment), 0);
  const rates: number[] = [];
  for (const moment of walked)
    for (const event of moment.events) rates[event] = (moment.events.length * total) / shareOf(moment);
  return { moments: walked.length, rateAt: (event) => rates[event] ?? trace.events.length };
}
