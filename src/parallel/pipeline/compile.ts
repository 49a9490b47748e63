/**
 * The Program of a pipeline's step: the actions of the schedule in the order in which they would start if messages took
 * no time, so that no message waits behind a message that is needed later. The walk of parallel/step emits them;
 * replicas of the pipeline average the gradients of each stage as DDP does. Source:
 * torch/distributed/pipelining/schedules.py and stage.py. Called by axes/stages.
 */
import { at, must } from '../../base/invariant';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { PipelineAction } from '../../protocol/pipeline';
import type { TrainingKind } from '../../protocol/step-kind';
import { actionsOf } from '../../schedules/actions-of';
import type { Schedule } from '../../schedules/schedule';
import { timingOf } from '../../schedules/timing';
import { syncedOver } from '../ddp/ddp-step';
import type { ModeInput } from '../mode-input';
import type { PartitionOf } from '../partition-pass';
import { nodesOfAction } from '../step/backward-halves';
import { createBorders } from '../step/borders';
import { placeStages } from '../step/place';
import { emitStep } from '../step/step';
import { sumPartials } from '../step/sum-partials';
import type { Step } from '../step/walk';
import { partsOfRanks } from '../tensor/cuts-beside';
import type { AroundStages } from './around-stages';
import { scaleGrads } from './scale-grads';
import { createStageGraphs, scheduleOf } from './stage-graphs';
import { tiedSync } from './tied-sync';
import { tiesOf } from './ties';

/** `around`: what averages gradients over the data axes. */
export function compile(input: ModeInput, kind: TrainingKind, mesh: DeviceMesh, around: AroundStages): Program {
  const { config } = input;
  const builder = new ProgramBuilder(mesh, input.ops);
  const partitionOf = partsOfRanks(config, mesh);
  const schedule = scheduleOf(config, kind.microBatches.length);
  const stages = placeStages(builder, schedule.rankOfStage);
  const made = weightGradients(schedule);
  const plain = { builder, input, kind, stages };
  const { syncs, sumsPartials, ...wrapped } = around.wrap({
    ...plain,
    schedule,
    graphOf: graphsOf(plain, schedule, { made, partitionOf }),
    isLast: (action) => makesGradients(action) && at(made, action.stage).at(-1) === action.microBatch,
  });
  const ties = tiesOf(config);
  emitStep({
    ...plain,
    ...wrapped,
    order: orderOf(schedule),
    backwardNodes: nodesOfAction,
    borders: createBorders(builder, stages),
    syncs: [
      ...syncs,
      ...(ties.length > 0 ? [tiedSync(plain, ties)] : []),
      ...(config.pipeline.scaleGrads && schedule.microBatches > 1
        ? [scaleGrads({ stages, ...wrapped }, schedule)]
        : []),
      ...(partitionOf && !sumsPartials ? [sumPartials({ ...plain, algorithm: config.ddp.algorithm })] : []),
    ],
  });
  return builder.finish('pipeline', kind);
}

const orderOf = (schedule: Schedule): readonly PipelineAction[] =>
  timingOf(schedule)
    .cells.toSorted((a, b) => a.start - b.start || a.rank - b.rank)
    .map(({ action }) => action);

interface GraphOptions {
  /** weightGradients of the schedule. */
  readonly made: readonly (readonly number[])[];
  readonly partitionOf: PartitionOf | undefined;
}

/** The first micro-batch that reaches the weights of a stage replaces the gradients of the step before. */
function graphsOf(
  { input, kind, stages }: Pick<Step, 'input' | 'kind' | 'stages'>,
  schedule: Schedule,
  { made, partitionOf }: GraphOptions,
): Step['graphOf'] {
  const { microBatches } = kind;
  const graphOf = createStageGraphs(input, schedule);
  return ({ stage, microBatch }, rows, rank) =>
    graphOf(stage, {
      rows,
      gradients: at(made, stage)[0] === microBatch ? at(microBatches, 0).gradients : 'add',
      synced: syncedOver(input.config, at(stages, stage), at(microBatches, microBatch).rows),
      partition: partitionOf?.(rank),
    });
}

const makesGradients = ({ kind }: PipelineAction): boolean => kind === 'B' || kind === 'W';

/** For each stage, its micro-batches in the order in which their weight gradients are made. */
function weightGradients({ stages, orders }: Schedule): readonly (readonly number[])[] {
  const made: number[][] = Array.from({ length: stages }, () => []);
  for (const action of orders.flatMap(actionsOf))
    if (makesGradients(action)) at(made, action.stage).push(action.microBatch);
  for (const [stage, own] of made.entries()) must(own[0], `a backward of stage ${stage}`);
  return made;
}
