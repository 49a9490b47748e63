/**
 * The dependencies of an action, and the place of each action in a schedule. Used by the check, the timing and
 * explanations of why a rank waits.
 */
import type { PipelineAction } from '../protocol/pipeline';
import { action, keyOf, partsOf } from './cell';
import type { Schedule } from './schedule';

/** A cell of a schedule: the position counts from 0 in the rank's order. */
export interface ActionPlace {
  readonly rank: number;
  readonly index: number;
}

/** Finds a schedule's actions. Made once for many queries, because it walks through the whole schedule. */
export interface ActionPlaces {
  /** The first place of the action; undefined: none. */
  readonly placeOf: (wanted: PipelineAction) => ActionPlace | undefined;
  /** The action's dependencies: for a backward pass B of the next stage, or I if that backward pass is split. */
  readonly dependenciesOf: (wanted: PipelineAction) => readonly PipelineAction[];
}

export function placesOf({ orders, stages }: Pick<Schedule, 'orders' | 'stages'>): ActionPlaces {
  const places = new Map<number, ActionPlace>();
  for (const [rank, order] of orders.entries()) {
    for (const [index, cell] of order.entries()) {
      for (const part of partsOf(cell)) {
        if (!places.has(keyOf(part))) places.set(keyOf(part), { rank, index });
      }
    }
  }
  const placeOf = (wanted: PipelineAction): ActionPlace | undefined => places.get(keyOf(wanted));
  /** The action that makes the gradient of the stage's input. */
  const inputGradient = (stage: number, microBatch: number): PipelineAction => {
    const split = action(stage, 'I', microBatch);
    return placeOf(split) ? split : action(stage, 'B', microBatch);
  };
  const dependenciesOf = ({ stage, kind, microBatch }: PipelineAction): readonly PipelineAction[] => {
    const gradient = stage + 1 < stages ? [inputGradient(stage + 1, microBatch)] : [];
    switch (kind) {
      case 'F':
        return stage === 0 ? [] : [action(stage - 1, 'F', microBatch)];
      case 'B':
      case 'I':
        return [action(stage, 'F', microBatch), ...gradient];
      case 'W':
        // The first stage needs no input gradient: in torch its I does nothing, and its W is the whole backward pass.
        return [action(stage, 'I', microBatch), ...(stage === 0 ? gradient : [])];
    }
  };
  return { placeOf, dependenciesOf };
}

/**
 * The action's dependencies in this schedule. F(s) needs F(s-1); B and I of s need F(s) and the B or I of s+1; W(s)
 * needs I(s), and for stage 0, where torch's I does nothing, the B or I of stage 1, too. For many actions of one
 * schedule use placesOf.
 */
export const dependenciesOf = (wanted: PipelineAction, schedule: Schedule): readonly PipelineAction[] =>
  placesOf(schedule).dependenciesOf(wanted);
