/**
 * What an action needs before it can run, and where in a schedule each action is. Read by the check, the timing and
 * whoever explains why a rank waits.
 */
import type { PipelineAction } from '../protocol/pipeline';
import { action, keyOf, partsOf } from './cell';
import type { Schedule } from './schedule';

/** A cell of a schedule: the position counts from 0 in the rank's order. */
export interface ActionPlace {
  readonly rank: number;
  readonly index: number;
}

/** A schedule's actions by what they are. Made once for many questions: it goes through the whole schedule. */
export interface ActionPlaces {
  /** Where it is first; undefined: nowhere. */
  readonly placeOf: (wanted: PipelineAction) => ActionPlace | undefined;
  /** What it needs: B of the next stage, or its I where that backward is split. */
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
        // The first stage has no input to make a gradient for: in torch its I does nothing and its W the whole
        // backward.
        return [action(stage, 'I', microBatch), ...(stage === 0 ? gradient : [])];
    }
  };
  return { placeOf, dependenciesOf };
}

/**
 * What the action needs in this schedule. F(s) needs F(s-1); B and I of s need F(s) and the B or I of s+1; W(s) needs
 * I(s), and for stage 0, where torch's I does nothing, the B or I of stage 1, too. For many actions of one schedule
 * take placesOf.
 */
export const dependenciesOf = (wanted: PipelineAction, schedule: Schedule): readonly PipelineAction[] =>
  placesOf(schedule).dependenciesOf(wanted);
