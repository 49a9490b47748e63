/**
 * DistributedDataParallel around each stage, as a sync of the step: before a forward pass the ranks agree which of them
 * still have a batch (join) and take rank 0's buffers; a reducer runs in each backward pass that reduces; and after the
 * step, join() ends and communication hooks finish. If several micro-batches are in flight, gradients are reduced in
 * the last backward pass of a stage, and copied back when the rank has nothing left to compute. Called by ddp-step.ts
 * of this folder and by the pipeline's compiler.
 */
import { at, must } from '../../base/invariant';
import type { Group } from '../../protocol/mesh';
import type { PipelineAction } from '../../protocol/pipeline';
import { type HookPhase, stepsAfter } from '../../protocol/step-kind';
import type { StageGraph } from '../stage-graph';
import type { StagePlace } from '../step/place';
import { besideAction, type StageUse, type Sync, type Written } from '../step/sync';
import type { Step } from '../step/walk';
import { broadcastBuffers, bufferNames } from './broadcast';
import { commHookOf } from './comm-hooks/comm-hooks';
import type { Joining } from './join';
import { JOIN } from './rare-parts';
import { bucketsOf } from './ready-order';
import { createReducer, type Reducer } from './reducer';

export interface DdpSyncOptions extends Pick<Step, 'builder' | 'input' | 'kind'> {
  /** With one replica group each: see per-group.ts. */
  readonly stages: readonly StagePlace[];
  /** Whether the gradients of the action's stage are reduced while it runs. */
  reducesIn(action: PipelineAction): boolean;
  /** The part of a stage that the reducer sees; undefined: nothing to reduce. */
  readonly seen?: ((graph: StageGraph) => StageGraph | undefined) | undefined;
  /** Gradients of the stage that earlier actions have completed; absent: none. */
  madeBefore?(graph: StageGraph, action: PipelineAction): readonly string[];
}

/** The ranks whose gradients DDP averages. */
const groupOf = ({ replicaGroups }: StagePlace): Group => at(replicaGroups, 0);

export function ddpSync(options: DdpSyncOptions): Sync {
  const { builder, input, kind, stages, reducesIn, seen = (graph) => graph } = options;
  const { config } = input;
  const reducers = new Map<number, Reducer>();
  const lastForwards = new Map<number, StageUse>();
  const ranks = new Set(stages.map(({ lanes }) => lanes[0])).size;
  // Random numbers and gradient views are found by buffer name on all devices, so each stage needs its own names.
  const byName = commHookOf(config).draws !== undefined || config.ddp.gradientAsBucketView;
  const ofStages = stages.length > (byName ? 1 : ranks);
  const prefixOf = (stage: number): string => (ofStages ? `stage${stage}.` : '');
  const microBatchOf = ({ action }: StageUse) => at(kind.microBatches, action.microBatch);
  const phaseOf = ({ action: { microBatch } }: StageUse): HookPhase =>
    kind.ofOneBatch || stepsAfter(kind, microBatch) ? kind.hookPhase : 'usual';
  const joiningOf = ({ place, works }: StageUse): Joining => ({
    builder,
    config,
    group: groupOf(place),
    active: works.map(({ lane }) => lane.device),
  });

  const beforeForward = (use: StageUse) => {
    const { lanes } = use.place;
    const { syncsBuffers, reduces } = microBatchOf(use);
    const stage = at(use.works, 0).graph;
    const joining = joiningOf(use);
    const { join, broadcastBuffers: broadcasts } = config.ddp;
    lastForwards.set(use.action.stage, use);
    const joins = join ? JOIN.get() : undefined;
    joins?.notifyJoinContext(joining);
    if (syncsBuffers && broadcasts && bufferNames(stage).length > 0) {
      const source = joins?.commonRank(joining, 'buffers_from', joining.active) ?? at(lanes, 0).device;
      broadcastBuffers(builder, groupOf(use.place), stage, source);
    }
    joins?.notifyBackwardSync(joining, reduces);
  };

  const beforeBackward = (use: StageUse) => {
    const { action } = use;
    const stage = reducesIn(action) ? seen(at(use.works, 0).graph) : undefined;
    if (!stage) return;
    const reducer = createReducer({
      ...joiningOf(use),
      stage,
      buckets: bucketsOf(stage, config, !microBatchOf(use).beforeRebuild),
      prefix: prefixOf(action.stage),
      phase: phaseOf(use),
    });
    reducers.set(action.stage, reducer);
    const before = options.madeBefore?.(stage, action) ?? [];
    if (before.length > 0)
      tell(
        use,
        reducer,
        use.works.map(({ lane }) => ({ lane, names: before })),
      );
  };

  const tell = (use: StageUse, reducer: Reducer, written: readonly Written[]) =>
    besideAction(kind, use, () => {
      for (const { lane, names } of written) reducer.ready(lane.device, names);
    });

  return {
    beforeUse: (use) => (use.action.kind === 'F' ? beforeForward(use) : beforeBackward(use)),
    ready(use, written) {
      const reducer = reducesIn(use.action) ? reducers.get(use.action.stage) : undefined;
      if (reducer) tell(use, reducer, written);
    },
    afterUse({ action: { stage, kind: done } }) {
      if (kind.ofOneBatch || done === 'F') return;
      reducers.get(stage)?.finish();
      reducers.delete(stage);
    },
    finish() {
      for (const reducer of reducers.values()) reducer.finish();
    },
    afterStep() {
      for (const stage of stages.keys()) {
        const use = must(lastForwards.get(stage), `a forward of stage ${stage}`);
        const { parameters, registered } = at(use.works, 0).graph;
        if (microBatchOf(use).endsJoin)
          JOIN.get().endJoin(joiningOf(use), [
            ...registered.map((p) => p.name),
            ...bufferNames(at(use.works, 0).graph),
          ]);
        const names = parameters.map((p) => p.name);
        const group = groupOf(use.place);
        if (kind.steps)
          commHookOf(config).afterStep?.({
            builder,
            config,
            group,
            parameters: names,
            prefix: prefixOf(stage),
            phase: phaseOf(use),
          });
      }
    },
  };
}
