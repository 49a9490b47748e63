/**
 * The state of a pipeline rank at a cursor: the action it runs, the micro-batches whose activations it keeps for
 * backward, the number of backwards summed in its gradients, and the losses in the last stage. Prepared once per trace
 * from its events. Pure; called by the stage's facts.
 */
import type { PipelineAction } from '../../protocol/pipeline';
import type { DeviceIndex, StepTrace } from '../../protocol/trace';
import type { Moment } from '../../trace/moments/moment';
import { actionKey, isPipeline } from '../../trace/pipeline/pipeline-turns';

export interface KeptMicroBatch {
  readonly stage: number;
  readonly microBatch: number;
  /** The buffer of the activations that came in, or, in the first stage, that went out. */
  readonly buffer: string;
  /** Whether the rank computes this micro-batch's forward or backward now. */
  readonly now: boolean;
}

export interface StageWork {
  /** The action that the rank runs in the moment at the cursor. */
  readonly action: PipelineAction | undefined;
  /** The rank's stages, ascending. */
  readonly stages: readonly number[];
  readonly kept: readonly KeptMicroBatch[];
  /** The micro-batches whose backward has used their activations, in the order of these backwards. */
  readonly released: readonly KeptMicroBatch[];
  /** The most micro-batches that the rank keeps at once in the step. */
  readonly mostKept: number;
  /** The number of backwards whose weight gradients are summed so far, and the number in the step. */
  readonly summed: number;
  readonly backwards: number;
  /** In the last stage: the buffer of each micro-batch's loss, once computed. */
  readonly losses: readonly (string | undefined)[] | undefined;
  readonly microBatches: number;
}

export interface StageWorks {
  /** `done`: the last completed event; `moment`: index of the moment at the cursor. */
  at(device: DeviceIndex, done: number, moment: number): StageWork | undefined;
}

interface Done {
  readonly action: PipelineAction;
  readonly first: number;
  last: number;
  /** Index of the event's moment. */
  moment: number;
}

interface Own {
  readonly actions: Map<string, Done>;
  readonly buffers: Map<string, string>;
  readonly losses: Map<number, { readonly buffer: string; readonly event: number }>;
}

export function stageWorks(trace: StepTrace, moments: readonly Moment[]): StageWorks | undefined {
  if (!isPipeline(trace)) return undefined;
  const devices = new Map<DeviceIndex, Own>();
  let microBatches = 0;
  for (const { index: moment, events } of moments) {
    for (const index of events) {
      const e = trace.events[index];
      if (!e?.action || e.collective) continue;
      const { action } = e;
      const own = devices.get(e.device) ?? { actions: new Map(), buffers: new Map(), losses: new Map() };
      devices.set(e.device, own);
      microBatches = Math.max(microBatches, action.microBatch + 1);
      if (e.kind === 'send' || e.kind === 'recv') {
        const stage = e.kind === 'send' ? action.stage : action.stage + 1;
        const key = `${stage} ${action.microBatch}`;
        if (action.kind === 'F' && e.slice && !(e.kind === 'send' && own.buffers.has(key)))
          own.buffers.set(key, e.slice.buffer);
        continue;
      }
      const known = own.actions.get(actionKey(action));
      if (known) Object.assign(known, { last: index, moment });
      else own.actions.set(actionKey(action), { action, first: index, last: index, moment });
      const [written] = e.writes;
      if (e.phase === 'loss' && e.kind === 'compute' && written !== undefined && /^loss(@|$)/.test(written))
        own.losses.set(action.microBatch, { buffer: written, event: index });
    }
  }
  const most = new Map<DeviceIndex, number>();
  const work = (own: Own, done: number, moment: number, mostKept: number): StageWork => {
    const all = [...own.actions.values()];
    const running = all.find((one) => one.moment === moment)?.action;
    const isNow = ({ stage, microBatch }: PipelineAction): boolean =>
      running?.stage === stage && running.microBatch === microBatch;
    const ended = (action: PipelineAction, kind: PipelineAction['kind']): boolean => {
      const found = own.actions.get(actionKey({ ...action, kind }));
      return found !== undefined && found.last <= done;
    };
    const toKeep = ({ stage, microBatch }: PipelineAction): KeptMicroBatch => ({
      stage,
      microBatch,
      buffer: own.buffers.get(`${stage} ${microBatch}`) ?? '',
      now: isNow({ stage, microBatch, kind: 'F' }),
    });
    const used = (action: PipelineAction): boolean => ended(action, 'B') || ended(action, 'W');
    const kept = all
      .filter(({ action, first, moment: of }) => action.kind === 'F' && (first <= done || of === moment))
      .flatMap(({ action }) => (used(action) ? [] : [toKeep(action)]));
    const released = all.flatMap(({ action }) => (action.kind === 'B' && used(action) ? [toKeep(action)] : []));
    const backwards = all.filter(({ action: { kind } }) => kind === 'B' || kind === 'W');
    return {
      action: running,
      stages: [...new Set(all.map(({ action }) => action.stage))].sort((a, b) => a - b),
      kept,
      released,
      mostKept,
      summed: backwards.filter(({ last }) => last <= done).length,
      backwards: backwards.length,
      losses:
        own.losses.size === 0
          ? undefined
          : Array.from({ length: microBatches }, (_, m) => {
              const loss = own.losses.get(m);
              return loss && loss.event <= done ? loss.buffer : undefined;
            }),
      microBatches,
    };
  };
  const mostOf = (device: DeviceIndex, own: Own): number => {
    const known = most.get(device);
    if (known !== undefined) return known;
    const counts = [...own.actions.values()].map(({ first, moment }) => work(own, first - 1, moment, 0).kept.length);
    const found = Math.max(0, ...counts);
    most.set(device, found);
    return found;
  };
  return {
    at(device, done, moment) {
      const own = devices.get(device);
      return own && work(own, done, moment, mostOf(device, own));
    },
  };
}
