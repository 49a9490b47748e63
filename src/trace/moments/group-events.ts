/**
 * Groups the events of a step, one group per moment, as finely as a reader can still walk through. If a step has more
 * than 60 moments, all rounds of a collective of activations or shards become one moment; if that is not enough, so do
 * the rounds of all buckets but the first. A pipeline's step has at most 60 moments:
 * several turns share a moment (pipeline/turn-windows.ts), and so do all rounds in which the replicas of a stage
 * average its gradients; if that is not enough, the collectives of layers join the turn of their layers. Other steps
 * have no limit: their moments grow with the number of layers. group-keys.ts decides which events are alike. Pure;
 * called by moments.ts.
 */
import { at } from '../../base/invariant';
import type { StepTrace } from '../../protocol/trace';
import { type Turn, turnsOf } from '../pipeline/pipeline-turns';
import { averagedStage } from '../pipeline/stage-averages';
import { MOST_MOMENTS, windowed, windowSize } from '../pipeline/turn-windows';
import { type Collectives, groupKeys, isOfLayers } from './group-keys';
import { sortGroups } from './sort-groups';

type Turns = readonly (Turn | undefined)[];

export interface EventGroups {
  /** By event, its turn or window of turns. */
  readonly turns: Turns;
  /** Indices into trace.events; each group in the order in which its events begin. */
  readonly groups: readonly (readonly number[])[];
}

/** Rounds of an all-reduce, and whole collectives, have their own moments only if windows are at most this wide. */
const WIDEST_BESIDE_ROUNDS = 3;

/** Coarser and coarser: tried for a step without turns that has too many moments. */
const WITHOUT_TURNS: readonly Collectives[] = ['whole', 'laterBuckets'];

export function groupEvents(trace: StepTrace): EventGroups {
  const turns = turnsOf(trace);
  const after = afterOf(trace.events);
  if (turns.every((turn) => turn === undefined)) {
    let groups = groupsOf(trace, after, turns);
    for (const collectives of WITHOUT_TURNS) {
      if (groups.length <= MOST_MOMENTS) break;
      const coarser = groupsOf(trace, after, turns, false, collectives);
      if (coarser.length < groups.length) groups = coarser;
    }
    return { turns, groups };
  }
  let fewest: EventGroups | undefined;
  for (const { size, wholeAverages, collectives } of coarserAndCoarser(trace, turns)) {
    const together = windowed({ turns, after, size });
    const groups = groupsOf(trace, after, together, wholeAverages, collectives);
    if (!fewest || groups.length < fewest.groups.length) fewest = { turns: together, groups };
    if (groups.length <= MOST_MOMENTS) break;
  }
  return fewest ?? { turns, groups: groupsOf(trace, after, turns) };
}

interface Coarseness {
  /** Turns per window; 0: every turn has a moment, and so have its messages. */
  readonly size: number;
  /** Packing and all rounds of the all-reduce of a stage are one moment. */
  readonly wholeAverages: boolean;
  readonly collectives: Collectives;
}

/** Tries estimates first; sorting may split groups again, so wider windows follow. */
function* coarserAndCoarser(trace: StepTrace, turns: Turns): Generator<Coarseness> {
  const count = turns.reduce((most, turn) => Math.max(most, turn ? turn.index + 1 : 0), 0);
  const averages = trace.events.some((e) => averagedStage(e) !== undefined);
  const cut = trace.events.some((e, i) => turns[i] !== undefined && isOfLayers(e));
  for (const collectives of cut ? (['rounds', 'whole', 'inTurns'] as const) : (['rounds'] as const)) {
    for (const wholeAverages of averages ? [false, true] : [false]) {
      const first = windowSize(trace.events, turns, othersIn(trace, turns, wholeAverages, collectives));
      const withRounds = collectives === 'whole' || (averages && !wholeAverages);
      const widest = cut && collectives === 'rounds' ? first : withRounds ? WIDEST_BESIDE_ROUNDS : count;
      for (let size = first; size <= widest; size = Math.max(size + 1, Math.ceil(1.3 * size)))
        yield { size, wholeAverages, collectives };
    }
  }
}

/** Number of moments of the step outside turns. */
function othersIn(trace: StepTrace, turns: Turns, wholeAverages: boolean, collectives: Collectives): number {
  const keys = groupKeys(trace, turns, wholeAverages, collectives);
  const isOther = (key: string, i: number) => turns[i] === undefined || !/^(turn|messages)/.test(key);
  return new Set(keys.filter(isOther)).size;
}

function groupsOf(
  trace: StepTrace,
  after: readonly (readonly number[])[],
  turns: Turns,
  wholeAverages = false,
  collectives: Collectives = 'rounds',
): EventGroups['groups'] {
  const startUs = trace.events.map((_, index) => at(trace.modelled, index).startUs);
  // No event begins before its dependencies end, so sorting a group by time also respects dependencies.
  return sortGroups({ after, keys: groupKeys(trace, turns, wholeAverages, collectives), startUs }).map((group) =>
    [...group].sort((a, b) => (startUs[a] ?? 0) - (startUs[b] ?? 0) || a - b),
  );
}

/**
 * By event, the events that run before it: its dependencies, the previous event in its queue, the send of its message.
 */
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
