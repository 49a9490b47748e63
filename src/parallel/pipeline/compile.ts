/**
 * The Program of a pipeline's step: the actions of the schedule in the order in which they would start if messages took
 * no time, so that no message waits behind one that is needed later. The walk of parallel/step emits them; replicas of
 * the pipeline average the gradients of each stage as DDP does. Source: torch/distributed/pipelining/schedules.py and
 * stage.py. Called through compiler.ts.
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
import { ddpSync } from '../ddp/sync';
import type { ModeInput } from '../mode';
import type { StageGraph } from '../stage-graph';
import { nodesOfAction } from '../step/backward-halves';
import { createBorders } from '../step/borders';
import { placeStages } from '../step/place';
import { emitStep } from '../step/step';
import type { Sync } from '../step/sync';
import type { Step } from '../step/walk';
import { scaleGrads } from './scale-grads';
import { createStageGraphs, scheduleOf } from './stages';
import { tiedSync } from './tied-sync';
import { tiesOf } from './ties';

export function compile(input: ModeInput, kind: TrainingKind, mesh: DeviceMesh): Program {
  const builder = new ProgramBuilder(mesh, input.ops);
  const schedule = scheduleOf(input.config, kind.microBatches.length);
  const stages = placeStages(builder, schedule.rankOfStage);
  const graphOf = graphsOf(input, kind, schedule);
  const step = { builder, input, kind, stages };
  emitStep({
    ...step,
    order: orderOf(schedule),
    syncs: syncsOf(step, schedule),
    graphOf,
    backwardNodes: nodesOfAction,
    borders: createBorders(builder, stages),
  });
  return builder.finish('pipeline', kind);
}

const orderOf = (schedule: Schedule): readonly PipelineAction[] =>
  timingOf(schedule)
    .cells.toSorted((a, b) => a.start - b.start || a.rank - b.rank)
    .map(({ action }) => action);

/** The first micro-batch that reaches the weights of a stage replaces the gradients of the step before. */
function graphsOf(input: ModeInput, { microBatches }: TrainingKind, schedule: Schedule): Step['graphOf'] {
  const graphOf = createStageGraphs(input, schedule);
  const firsts = weightGradients(schedule).map((own) => own[0]);
  return ({ stage, microBatch }, rows) =>
    graphOf(stage, { rows, gradients: firsts[stage] === microBatch ? at(microBatches, 0).gradients : 'add' });
}

/** In the order in which they act at the end of a step. */
function syncsOf(step: Pick<Step, 'builder' | 'input' | 'kind' | 'stages'>, schedule: Schedule): readonly Sync[] {
  const { stages, input } = step;
  const ties = tiesOf(input.config);
  return [
    ...(at(stages, 0).lanes.length > 1 ? [replicaSync(step, schedule, new Set(ties.map(({ name }) => name)))] : []),
    ...(ties.length > 0 ? [tiedSync(step, ties)] : []),
    ...(input.config.pipeline.scaleGrads && schedule.microBatches > 1 ? [scaleGrads(stages, schedule)] : []),
  ];
}

/** DDP around each stage: the micro-batches before the last are in no_sync. Shared weights are left out. */
function replicaSync(
  step: Pick<Step, 'builder' | 'input' | 'kind' | 'stages'>,
  schedule: Schedule,
  shared: ReadonlySet<string>,
): Sync {
  const lasts = weightGradients(schedule).map((own) => own.at(-1));
  return ddpSync({
    ...step,
    reducesIn: ({ stage, kind, microBatch }) => (kind === 'B' || kind === 'W') && lasts[stage] === microBatch,
    seen(graph): StageGraph | undefined {
      const parameters = graph.parameters.filter(({ name }) => !shared.has(name));
      return parameters.length === 0 ? undefined : { ...graph, parameters, registered: parameters };
    },
    madeBefore,
  });
}

/** An I has completed gradients of weights where one operator makes both gradients. */
function madeBefore(stage: StageGraph, { kind }: PipelineAction): readonly string[] {
  if (kind === 'B') return [];
  const now = new Set(
    nodesOfAction(stage, kind).flatMap(({ outputs }) => outputs.map((id) => at(stage.graph.values, id).name)),
  );
  return stage.parameters.flatMap(({ fresh }) => (now.has(fresh) ? [] : [fresh]));
}

/** By stage, the micro-batches in the order in which their gradients of the weights are made. */
function weightGradients({ stages, orders }: Schedule): readonly (readonly number[])[] {
  const made: number[][] = Array.from({ length: stages }, () => []);
  for (const { stage, kind, microBatch } of orders.flatMap(actionsOf))
    if (kind === 'B' || kind === 'W') at(made, stage).push(microBatch);
  for (const [stage, own] of made.entries()) must(own[0], `a backward of stage ${stage}`);
  return made;
}
