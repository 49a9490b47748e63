/**
 * Arranges the actions of a pipeline's step in turns, as if all took equally long: in a turn every rank runs at most
 * one forward or backward pass, and a waiting rank has nothing that it could run. Moments are built from turns. Pure;
 * called by trace/moments.
 */
import type { PipelineAction } from '../../protocol/pipeline';
import type { StepTrace, TraceEvent } from '../../protocol/trace';

/** fill: no backward has begun; drain: no forward is left; steady: between them. */
export type PipelinePhase = 'fill' | 'steady' | 'drain';

export interface Turn {
  /** From 0. */
  readonly index: number;
  readonly stretch: PipelinePhase;
  /** Number of turns, from this one on, that form one moment; absent: only this one. */
  readonly turns?: number;
  /** Whether the messages of the turns are in the same moment. */
  readonly withMessages?: boolean;
}

export const isPipeline = ({ events }: StepTrace): boolean => events.some(({ action }) => action !== undefined);

export const actionKey = ({ stage, kind, microBatch }: PipelineAction): string => `${stage} ${kind} ${microBatch}`;

/** By event: the turn of its action, or for a message of the action that made it; undefined if it has none. */
export function turnsOf({ events }: StepTrace): readonly (Turn | undefined)[] {
  const turnOf = new Map<string, number>();
  /** By device, the turn of its latest action. */
  const latest = new Map<number, number>();
  for (const { action, device, kind } of events) {
    // Every rank of a stage has the same order, so the first rank found decides.
    if (!action || kind === 'send' || kind === 'recv' || turnOf.has(actionKey(action))) continue;
    const needs = needsOf(action).flatMap((other) => turnOf.get(actionKey(other)) ?? []);
    const turn = 1 + Math.max(latest.get(device) ?? -1, ...needs);
    turnOf.set(actionKey(action), turn);
    latest.set(device, turn);
  }
  const of = (test: (action: PipelineAction) => boolean): readonly number[] =>
    events.flatMap(({ action }) => (action && test(action) ? (turnOf.get(actionKey(action)) ?? []) : []));
  const firstBackward = Math.min(...of(({ kind }) => kind !== 'F'));
  const lastForward = Math.max(...of(({ kind }) => kind === 'F'));
  const stretchOf = (turn: number): PipelinePhase =>
    turn < firstBackward ? 'fill' : turn <= lastForward ? 'steady' : 'drain';
  return events.map(({ action }) => {
    const index = action && turnOf.get(actionKey(action));
    return index === undefined ? undefined : { index, stretch: stretchOf(index) };
  });
}

/** The actions that must precede an action, in other stages and in its own. Some may not exist in a schedule. */
function needsOf({ stage, kind, microBatch }: PipelineAction): readonly PipelineAction[] {
  if (kind === 'F') return [{ stage: stage - 1, kind, microBatch }];
  if (kind === 'W') return [{ stage, kind: 'I', microBatch }];
  const backwards = (['B', 'I'] as const).map((other) => ({ stage: stage + 1, kind: other, microBatch }));
  return [...backwards, { stage, kind: 'F', microBatch }];
}

/** The different actions of some events, by stage. */
export function actionsIn(events: readonly TraceEvent[]): readonly PipelineAction[] {
  const found = new Map<string, PipelineAction>();
  for (const { action } of events) if (action) found.set(actionKey(action), action);
  return [...found.values()].sort((a, b) => a.stage - b.stage || a.microBatch - b.microBatch);
}
