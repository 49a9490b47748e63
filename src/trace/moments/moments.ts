/**
 * Finds the moments of a traced step and puts its events in their order. Devices do the same at different times, and a
 * rank may be late: events of one moment are brought together, and moments follow each other by the time at which their
 * first event begins on the modelled clock. The order respects every dependency and every queue; events that cannot be
 * grouped without violating one stay apart. Pure; the page calls `byMoments` when a trace arrives.
 */
import { at } from '../../base/invariant';
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import type { Turn } from '../pipeline/pipeline-turns';
import { averageIn } from '../pipeline/stage-averages';
import { groupEvents } from './group-events';
import { collectiveKey, kindOf } from './group-keys';
import { hasMoments, type Moment, type MomentRound, type MomentTrace } from './moment';

/** Moments in walking order. Callers that need them every frame keep a MomentTrace, which has its moments. */
export function momentsOf(trace: StepTrace): readonly Moment[] {
  if (hasMoments(trace)) return trace.moments;
  const { turns, groups } = groupEvents(trace);
  return groups.map((events, index) => momentOf(trace, turns, events, index));
}

export function byMoments(trace: StepTrace): MomentTrace {
  const { turns, groups } = groupEvents(trace);
  const order = groups.flat();
  const ordered: StepTrace = {
    ...trace,
    events: order.map((event) => at(trace.events, event)),
    modelled: order.map((event) => at(trace.modelled, event)),
  };
  const turnsInOrder = order.map((event) => turns[event]);
  let first = 0;
  const moments = groups.map((group, index) => {
    const events = group.map((_, k) => first + k);
    first += group.length;
    return momentOf(ordered, turnsInOrder, events, index);
  });
  return { ...ordered, moments };
}

function momentOf(
  { events }: StepTrace,
  turns: readonly (Turn | undefined)[],
  own: readonly number[],
  index: number,
): Moment {
  const members = own.map((event) => at(events, event));
  // Loads of the optimiser, the first messages of a turn, and copies say less about a moment than its work.
  const isWork = (e: TraceEvent): boolean => (turns[at(own, 0)] ? e.kind === 'compute' : e.kind !== 'load');
  const said = members.find((e) => isWork(e) && kindOf(e) !== 'copy') ?? members.find(isWork) ?? at(members, 0);
  const bucket = said.bucket ?? said.collective?.bucket;
  const average = averageIn(members);
  const round = average ? undefined : roundOf(said, members);
  const turn = round || average ? undefined : turns[at(own, 0)];
  const kind = kindOf(said);
  return {
    index,
    phase: average ? 'reduce' : said.phase,
    // Without `round`, the moment is a part of a turn in which ranks wait for several collectives.
    kind: average ? 'round' : kind === 'round' && !round ? 'compute' : kind,
    events: [...own].sort((a, b) => a - b),
    module: said.module,
    ...(bucket === undefined ? {} : { bucket }),
    ...(round ? { round } : {}),
    ...(average ? { average } : {}),
    ...(turn ? { turn } : {}),
  };
}

function roundOf({ collective }: TraceEvent, members: readonly TraceEvent[]): MomentRound | undefined {
  if (!collective) return undefined;
  // A part of a turn may have several collectives.
  if (new Set(members.filter((e) => e.collective).map(collectiveKey)).size > 1 && members.some((e) => e.action))
    return undefined;
  const whole = members.some((e) => e.collective?.round !== collective.round);
  const { seq, op, part, round = 0, rounds = 1 } = collective;
  return { seq, op, ...(part && !whole ? { part } : {}), index: round, count: rounds, whole, collective };
}
