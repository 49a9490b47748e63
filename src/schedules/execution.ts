/**
 * Simulates the ranks' orders: each rank runs its next unit of work as soon as its dependencies are done. Returns one
 * order in which everything can run, and the ranks that are stuck. Takes time linear in the actions: a waiting rank is
 * checked again only when the action that it waits for is done.
 */
import type { PipelineAction } from '../protocol/pipeline';
import { keyOf } from './cell';
import type { ActionPlace } from './dependencies';

/** Actions that start together once the inputs of all are ready; a single action, except for pairs. */
export type Unit = readonly PipelineAction[];

export interface Blocked extends ActionPlace {
  readonly waitsFor: PipelineAction;
}

export interface Execution {
  /** Units in an order that every dependency allows. */
  readonly done: readonly ActionPlace[];
  /** Ranks that could not finish, by rank: the unit where they are stuck and the first action that it lacks. */
  readonly blocked: readonly Blocked[];
}

export function execute(
  queues: readonly (readonly Unit[])[],
  needs: (action: PipelineAction, place: ActionPlace) => readonly PipelineAction[],
): Execution {
  const finished = new Set<number>();
  const done: ActionPlace[] = [];
  const next = queues.map(() => 0);
  const waiting = new Map<number, number[]>();
  const stuckOn = new Map<number, PipelineAction>();
  const toLookAt = queues.map((_, rank) => rank).toReversed();

  for (let rank = toLookAt.pop(); rank !== undefined; rank = toLookAt.pop()) {
    const index = next[rank] ?? 0;
    const unit = queues[rank]?.[index];
    if (unit === undefined) continue;
    const place = { rank, index };
    const lacking = firstLacking(unit, (part) => needs(part, place), finished);
    if (lacking) {
      stuckOn.set(rank, lacking);
      const others = waiting.get(keyOf(lacking));
      if (others) others.push(rank);
      else waiting.set(keyOf(lacking), [rank]);
      continue;
    }
    done.push(place);
    next[rank] = index + 1;
    toLookAt.push(rank);
    for (const part of unit) {
      finished.add(keyOf(part));
      for (const other of waiting.get(keyOf(part)) ?? []) {
        stuckOn.delete(other);
        toLookAt.push(other);
      }
      waiting.delete(keyOf(part));
    }
  }
  const blocked = [...stuckOn].map(([rank, waitsFor]) => ({ rank, index: next[rank] ?? 0, waitsFor }));
  return { done, blocked: blocked.toSorted((a, b) => a.rank - b.rank) };
}

/** Plain loops for speed: it runs for every action of a schedule, and again after every change in the editor. */
function firstLacking(
  unit: Unit,
  needs: (action: PipelineAction) => readonly PipelineAction[],
  finished: ReadonlySet<number>,
): PipelineAction | undefined {
  for (const part of unit) {
    for (const needed of needs(part)) if (!finished.has(keyOf(needed))) return needed;
  }
  return undefined;
}
