/**
 * Finds the moments of a traced step and puts its events in their order. Devices do the same at different times, and a
 * rank may be late: events of one moment are brought together, and moments follow each other by the time at which their
 * first event begins on the modelled clock. Every dependency and every queue is respected; what cannot be brought
 * together without breaking one stays apart. Pure; the page calls `byMoments` when a trace arrives.
 */
import { at } from '../../base/invariant';
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { windowed } from '../pipeline/turn-windows';
import { type Turn, turnsOf } from '../pipeline/turns';
import { groupKeys, kindOf } from './group-keys';
import { hasMoments, type Moment, type MomentRound, type MomentTrace } from './moment';
import { sortGroups } from './sort-groups';

/** In the order in which they are walked. Callers that ask each frame keep a MomentTrace, which knows its own. */
export function momentsOf(trace: StepTrace): readonly Moment[] {
  if (hasMoments(trace)) return trace.moments;
  const turns = turnsIn(trace);
  return groupsOf(trace, turns).map((events, index) => momentOf(trace, turns, events, index));
}

export function byMoments(trace: StepTrace): MomentTrace {
  const turns = turnsIn(trace);
  const groups = groupsOf(trace, turns);
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

/** Of a pipeline: its turns, some of them together where there are many. */
function turnsIn(trace: StepTrace): readonly (Turn | undefined)[] {
  const turns = turnsOf(trace);
  if (turns.every((turn) => turn === undefined)) return turns;
  const keys = groupKeys(trace, turns);
  const others = new Set(keys.filter((_, i) => turns[i] === undefined || trace.events[i]?.collective));
  return windowed({ events: trace.events, turns, after: afterOf(trace.events), others: others.size });
}

/** Indices into trace.events; each group in the order in which its events begin. */
function groupsOf(trace: StepTrace, turns: readonly (Turn | undefined)[]): readonly (readonly number[])[] {
  const { events } = trace;
  const startUs = events.map((_, index) => at(trace.modelled, index).startUs);
  // Nothing begins before what it depends on has ended, so by time within a group is by dependency, too.
  return sortGroups({ after: afterOf(events), keys: groupKeys(trace, turns), startUs }).map((group) =>
    [...group].sort((a, b) => (startUs[a] ?? 0) - (startUs[b] ?? 0) || a - b),
  );
}

/** By event, what runs before it: its dependencies, the event before it in its queue, the send of what it receives. */
function afterOf(events: StepTrace['events']): readonly (readonly number[])[] {
  const indexOf = new Map(events.map((e, index) => [e.id, index]));
  const latest = new Map<string, number>();
  return events.map((e, index) => {
    const lane = `${e.device} ${e.queue}`;
    const before = latest.get(lane);
    latest.set(lane, index);
    const deps = e.deps.flatMap((id) => indexOf.get(id) ?? []);
    const sent = e.kind === 'recv' && e.match !== undefined ? indexOf.get(e.match) : undefined;
    return [...deps, ...(before === undefined ? [] : [before]), ...(sent === undefined ? [] : [sent])];
  });
}

function momentOf(
  { events }: StepTrace,
  turns: readonly (Turn | undefined)[],
  own: readonly number[],
  index: number,
): Moment {
  const members = own.map((event) => at(events, event));
  // What the optimiser loads first says less than what it does.
  const said = members.find((e) => e.kind !== 'load') ?? at(members, 0);
  const bucket = said.bucket ?? said.collective?.bucket;
  const round = roundOf(said);
  const turn = round ? undefined : turns[at(own, 0)];
  return {
    index,
    phase: said.phase,
    kind: kindOf(said),
    events: [...own].sort((a, b) => a - b),
    module: said.module,
    ...(bucket === undefined ? {} : { bucket }),
    ...(round ? { round } : {}),
    ...(turn ? { turn } : {}),
  };
}

function roundOf({ collective }: TraceEvent): MomentRound | undefined {
  if (!collective) return undefined;
  const { seq, op, part, round = 0, rounds = 1 } = collective;
  return { seq, op, ...(part ? { part } : {}), index: round, count: rounds, collective };
}
