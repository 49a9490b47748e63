/**
 * The Program of a pipeline's step: the actions of the schedule in the order in which they would start if messages took
 * no time, so that no message waits behind a message that is needed later. The walk of parallel/step emits them;
 * replicas of the pipeline average the gradients of each stage as DDP does. Source:
 * torch/distributed/pipelining/schedules.py and stage.py. Called by axes/stages.
 */
import { at } from '../../base/invariant';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import { shardsParameters } from '../../protocol/mesh-sizes';
import type { PipelineAction } from '../../protocol/pipeline';
import type { TrainingKind } from '../../protocol/step-kind';
import type { Schedule } from '../../schedules/schedule';
import { timingOf } from '../../schedules/timing';
import { syncedOver } from '../ddp/step';
import type { ModeInput } from '../mode-input';
import { OPTIMIZES_SHARDS, shardsOn } from '../sharded/fsdp';
import { fsdpOfStages } from '../sharded/fsdp-of-stages';
import { unshardedGraphs } from '../sharded/unsharded-graph';
import type { PartitionOf } from '../stage-graph';
import { nodesOfAction } from '../step/backward-halves';
import { createBorders } from '../step/borders';
import { perGroup } from '../step/per-group';
import { placeStages } from '../step/place';
import { emitStep } from '../step/step';
import { sumPartials } from '../step/sum-partials';
import type { Sync } from '../step/sync';
import type { Step } from '../step/walk';
import { partsOfRanks } from '../tensor/cuts-beside';
import { replicaSync, weightGradients } from './replica-sync';
import { scaleGrads } from './scale-grads';
import { unitsOfStages } from './shards-of-stages';
import { createStageGraphs, scheduleOf } from './stages';
import { tiedSync } from './tied-sync';
import { tiesOf } from './ties';

export interface PipelinePasses {
  /** The syncs that average the replicas' gradients; absent: DDP around each stage, over each of its replica groups. */
  readonly averaging?: AveragingSyncs;
}

export function compile(
  input: ModeInput,
  kind: TrainingKind,
  mesh: DeviceMesh,
  { averaging = averageOverReplicas }: PipelinePasses = {},
): Program {
  const builder = new ProgramBuilder(mesh, input.ops);
  const partitionOf = partsOfRanks(input.config, mesh);
  const schedule = scheduleOf(input.config, kind.microBatches.length);
  const stages = placeStages(builder, schedule.rankOfStage);
  const whole = graphsOf({ input, kind, stages }, schedule, partitionOf);
  const step = { builder, input, kind, stages };
  const more = { order: orderOf(schedule), backwardNodes: nodesOfAction, borders: createBorders(builder, stages) };
  if (shardsParameters(input.config)) {
    const graphOf = unshardedGraphs(whole, 'batch');
    emitStep({ ...step, ...more, syncs: syncsOfShards(step, schedule), graphOf, ...OPTIMIZES_SHARDS });
  } else {
    const sums = partitionOf ? [sumPartials({ builder, algorithm: input.config.ddp.algorithm, stages, kind })] : [];
    emitStep({ ...step, ...more, syncs: [...syncsOf(step, schedule, averaging), ...sums], graphOf: whole });
  }
  return builder.finish('pipeline', kind);
}

const orderOf = (schedule: Schedule): readonly PipelineAction[] =>
  timingOf(schedule)
    .cells.toSorted((a, b) => a.start - b.start || a.rank - b.rank)
    .map(({ action }) => action);

/** The first micro-batch that reaches the weights of a stage replaces the gradients of the step before. */
function graphsOf(
  { input, kind, stages }: Pick<Step, 'input' | 'kind' | 'stages'>,
  schedule: Schedule,
  partitionOf: PartitionOf | undefined,
): Step['graphOf'] {
  const { microBatches } = kind;
  const graphOf = createStageGraphs(input, schedule);
  const firsts = weightGradients(schedule).map((own) => own[0]);
  return ({ stage, microBatch }, rows, rank) =>
    graphOf(stage, {
      rows,
      gradients: firsts[stage] === microBatch ? at(microBatches, 0).gradients : 'add',
      synced: syncedOver(input.config, at(stages, stage), at(microBatches, microBatch).rows),
      partition: partitionOf?.(rank),
    });
}

/** Syncs in the order in which they act at the end of a step. */
export type AveragingSyncs = (step: SyncedStep, schedule: Schedule) => readonly Sync[];
export type SyncedStep = Pick<Step, 'builder' | 'input' | 'kind' | 'stages'>;

const averageOverReplicas: AveragingSyncs = (step, schedule) =>
  step.builder.mesh.dataIndices > 1
    ? perGroup(step.stages, (stages) => replicaSync({ ...step, stages }, schedule))
    : [];

function syncsOf(step: SyncedStep, schedule: Schedule, averaging: AveragingSyncs): readonly Sync[] {
  const { stages, input } = step;
  const ties = tiesOf(input.config);
  return [
    ...averaging(step, schedule),
    ...(ties.length > 0 ? [tiedSync(step, ties)] : []),
    ...(input.config.pipeline.scaleGrads && schedule.microBatches > 1 ? [scaleGrads({ stages }, schedule)] : []),
  ];
}

/** The syncs if fully_shard is around the stages. */
function syncsOfShards(step: SyncedStep, schedule: Schedule): readonly Sync[] {
  const { stages, input } = step;
  const { config } = input;
  const lasts = weightGradients(schedule).map((own) => own.at(-1));
  const fsdp = fsdpOfStages({
    ...step,
    units: unitsOfStages(config),
    isLast: ({ stage, kind, microBatch }) => (kind === 'B' || kind === 'W') && lasts[stage] === microBatch,
  });
  const scales = config.pipeline.scaleGrads && schedule.microBatches > 1;
  return [fsdp, ...(scales ? [scaleGrads({ stages, optimized: shardsOn }, schedule)] : [])];
}
