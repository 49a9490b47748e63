/**
 * Explains a turn of a pipeline: where the bubble comes from, what 1F1B saves, why W can wait. A sentence or two, with
 * a full stop. Pure; called by moments/moment-why.ts.
 */
import { at } from '../../base/invariant';
import type { PipelineAction } from '../../protocol/pipeline';
import type { StepTrace } from '../../protocol/trace';
import { isOfLayers } from '../moments/group-keys';
import type { Moment } from '../moments/moment';
import { momentsOf } from '../moments/moments';
import { actionsIn, type Turn } from './pipeline-turns';

export function turnWhy(trace: StepTrace, moment: Moment): string | undefined {
  if (!moment.turn) return undefined;
  return (
    scheduleWhy(trace, moment, moment.turn) ??
    (moment.events.some((index) => isOfLayers(at(trace.events, index)))
      ? 'This step has many collectives, so those of a turn are in the moment of the turn. “Step round” stops after every round.'
      : undefined)
  );
}

function scheduleWhy(trace: StepTrace, moment: Moment, own: Turn): string | undefined {
  const actions = actionsOf(trace, moment);
  if (moment.kind === 'message') return sendWhy(actions);
  const first = momentsOf(trace).find(({ turn, kind }) => kind !== 'message' && turn?.stretch === own.stretch);
  if (actions.some(({ kind }) => kind === 'W')) return weightsWhy(trace, moment, actions);
  if (actions.some(({ kind }) => kind === 'I') && isFirstOf(trace, moment, 'I'))
    return 'Each backward pass is split in two. The input gradient is computed first, because the stage before waits for it; the weight gradients follow later.';
  switch (own.stretch) {
    case 'fill':
      return fillWhy(trace, moment, first);
    case 'steady':
      return first?.index === moment.index ? steadyWhy(trace) : undefined;
    case 'drain':
      return first?.index === moment.index ? drainWhy(trace) : undefined;
  }
}

const actionsOf = (trace: StepTrace, { events }: Moment): readonly PipelineAction[] =>
  actionsIn(events.map((index) => at(trace.events, index)));

const stagesIn = ({ events }: StepTrace): number =>
  1 + events.reduce((most, { action }) => Math.max(most, action?.stage ?? 0), 0);

const microBatchesIn = ({ events }: StepTrace): number =>
  1 + events.reduce((most, { action }) => Math.max(most, action?.microBatch ?? 0), 0);

const isFirstOf = (trace: StepTrace, moment: Moment, kind: PipelineAction['kind']): boolean =>
  momentsOf(trace).find((other) => other.kind !== 'message' && actionsOf(trace, other).some((a) => a.kind === kind))
    ?.index === moment.index;

/** At the beginning only the first stage has work. */
function fillWhy(trace: StepTrace, moment: Moment, first: Moment | undefined): string | undefined {
  if (stagesIn(trace) === 1) return undefined;
  if (first?.index === moment.index)
    return 'The bubble at the start: a stage has no work until the first micro-batch has passed all stages before it.';
  const last = stagesIn(trace) - 1;
  return actionsOf(trace, moment).some(({ stage, microBatch }) => stage === last && microBatch === 0)
    ? 'Micro-batch 0 has reached the last stage, which computes its loss. From now on backward passes can run.'
    : undefined;
}

function steadyWhy(trace: StepTrace): string {
  const [most, all] = [mostKept(trace), microBatchesIn(trace)];
  const spared =
    most < all
      ? `. No stage keeps the activations of more than ${most} ${most === 1 ? 'micro-batch' : 'micro-batches'}; GPipe would keep the activations of all ${all}`
      : '';
  return `One forward, one backward: each backward pass frees the activations of its micro-batch${spared}.`;
}

/** The most micro-batches whose activations a stage keeps at once. */
function mostKept({ events }: StepTrace): number {
  const kept = new Map<number, Set<number>>();
  let most = 0;
  for (const { action, kind } of events) {
    if (!action || kind === 'send' || kind === 'recv') continue;
    const own = kept.get(action.stage) ?? new Set();
    kept.set(action.stage, own);
    if (action.kind === 'F') own.add(action.microBatch);
    else if (action.kind !== 'I') own.delete(action.microBatch);
    most = Math.max(most, own.size);
  }
  return most;
}

function drainWhy(trace: StepTrace): string | undefined {
  if (stagesIn(trace) === 1) return undefined;
  const before = momentsOf(trace).some(({ turn }) => turn?.stretch === 'steady');
  return before
    ? 'The bubble at the end: gradients arrive stage by stage, and a waiting stage has no forward pass left to fill the time.'
    : `All forward passes came first (GPipe), so every stage keeps the activations of all ${microBatchesIn(trace)} micro-batches until their backward passes.`;
}

function weightsWhy(trace: StepTrace, moment: Moment, actions: readonly PipelineAction[]): string | undefined {
  if (isFirstOf(trace, moment, 'W') || actions.every(({ kind }) => kind === 'W'))
    return 'W can wait: no other stage needs the weight gradients, and the optimiser needs them only at the end of the step. So W fills time that would be a bubble.';
  return undefined;
}

function sendWhy(actions: readonly PipelineAction[]): string | undefined {
  const [one] = actions;
  if (!one || actions.length > 1) return undefined;
  return one.kind === 'F'
    ? `Stage ${one.stage + 1} keeps the activations until its backward pass of micro-batch ${one.microBatch}, which needs them again.`
    : `By the chain rule stage ${one.stage - 1} needs this gradient for its own backward pass of micro-batch ${one.microBatch}.`;
}
