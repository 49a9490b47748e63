/**
 * DDP around each stage: the settings that apply, the part of a stage that the reducer sees, the bytes that it sends,
 * and the random numbers of its communication hook. Every DDP object has its own hook state, so every stage draws as if
 * it were alone. Called by axes/stages.
 */
import { at } from '../../base/invariant';
import { parametersOfLayer } from '../../nn/model';
import type { Config } from '../../protocol/config';
import { replicasOf } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import type { PipelineAction } from '../../protocol/pipeline';
import { halvesBackward } from '../../schedules/actions-of';
import type { Schedule } from '../../schedules/schedule';
import { sizedMesh } from '../axes/sized-mesh';
import type { DdpOfParts } from '../ddp/around-parts';
import { ddpFormOfGroups, type ReplicaGroup } from '../ddp/closed-form-of-groups';
import { ddpSync } from '../ddp/ddp-sync';
import { noiseOfGroups } from '../ddp/noise-of-groups';
import { findsUnused } from '../ddp/ready-order';
import type { Noise } from '../facets/mode-steps';
import type { ModeInput } from '../mode-input';
import type { StageGraph } from '../stage-graph';
import { nodesOfAction } from '../step/backward-halves';
import { perGroup } from '../step/per-group';
import type { Sync } from '../step/sync';
import { partsOfRanks } from '../tensor/cuts-beside';
import { shapesOn } from '../tensor/pieces';
import { takenApart } from '../tensor/taken-apart';
import type { AroundStages, PlainStages } from './around-stages';
import { passedToDdp, stopsAtRebuild } from './kept-buckets';
import { layerRanges } from './split';
import { createStageGraphs, replicaGroupsOfStage, scheduleOf } from './stage-graphs';
import { tiesOf } from './ties';

const NO_JOIN =
  'join() repeats only DDP’s collectives for a replica without rows, not the messages between stages, so other ranks would wait forever';

const DDP_OF_STAGES: DdpOfParts = {
  noticeId: 'ddp-of-stages',
  words: ['a pipeline', 'a stage'],
  more: [],
  reasons: {
    join: NO_JOIN,
    divideByInitialWorldSize: NO_JOIN,
    samplesPerRank: NO_JOIN,
    noSync: 'the schedule itself calls no_sync() around every micro-batch but the last',
    staticGraph:
      'PyTorch 2.13 runs static_graph here and computes other gradients, because its first iteration counts the backward passes of all micro-batches',
  },
};

export const ddpAroundStages: AroundStages = {
  ddpSettings: DDP_OF_STAGES,
  notices,
  wrap: (step) => ({
    graphOf: step.graphOf,
    syncs: step.builder.mesh.dataIndices > 1 ? perGroup(step.stages, (stages) => replicaSync({ ...step, stages })) : [],
    sumsPartials: false,
  }),
  closedForm: (run, pass, schedule) =>
    ddpFormOfGroups(
      { ...run, config: passedToDdp(run.config) },
      pass.steps ? pass : { ...pass, reduces: false },
      Array.from({ length: schedule.stages }, (_, stage) => groupsOfStage(run.config, schedule, stage)).flat(),
      () => `once per step the gradients of each stage over its ${replicasOf(run.config)} replicas`,
    ),
  noise: noiseForStep,
};

function notices(config: Config): readonly Notice[] {
  if (replicasOf(config) === 1 || config.pipeline.microBatches === 1 || !stopsAtRebuild(scheduleOf(config))) return [];
  return [
    {
      level: 'warning',
      id: 'ddp-around-stages',
      text: 'PyTorch’s DDP around the stages stops here with “params_.size() == rebuilt_param_indices_.size() INTERNAL ASSERT FAILED”: it works only with 1F1B and more micro-batches than stages. This run averages the gradients of each stage after its last backward.',
      hint: 'In PyTorch, take 1F1B with more micro-batches, or shard the stages with FSDP instead.',
    },
  ];
}

/** DDP over one replica group of each stage. All micro-batches but the last are in no_sync. */
export const replicaSync = ({ isLast, ...step }: Omit<PlainStages, 'graphOf' | 'schedule'>): Sync => {
  const input = { ...step.input, config: passedToDdp(step.input.config) };
  return ddpSync({ ...step, input, reducesIn: isLast, seen: (graph) => seenOf(input, graph), madeBefore });
};

/**
 * Shared weights are left out: tied-sync.ts adds them up. Parameters that forward does not use count only if DDP looks
 * for them (find_unused_parameters). Otherwise this run leaves them out, where torch would stop at its second step.
 */
function seenOf({ config }: ModeInput, graph: StageGraph): StageGraph | undefined {
  const shared = new Set(tiesOf(config).map(({ name }) => name));
  const own = (list: StageGraph['registered']) => list.filter(({ name }) => !shared.has(name));
  const parameters = own(graph.parameters);
  if (parameters.length === 0) return undefined;
  const registered = findsUnused(config) ? own(graph.registered) : parameters;
  const seen = { ...graph, parameters, registered };
  if (config.ddp.commHook.type !== 'powerSGD') return seen;
  // Where backward runs in halves, the script puts gradients into buckets in reverse order of registration.
  return halvesBackward(scheduleOf(config))
    ? { ...seen, hookOrder: parameters.toReversed() }
    : takenApart(config, seen);
}

/** An action of kind I has already completed weight gradients if one operator makes both gradients. */
function madeBefore(stage: StageGraph, { kind }: PipelineAction): readonly string[] {
  if (kind === 'B') return [];
  const now = new Set(
    nodesOfAction(stage, kind).flatMap(({ outputs }) => outputs.map((id) => at(stage.graph.values, id).name)),
  );
  return stage.parameters.flatMap(({ fresh }) => (now.has(fresh) ? [] : [fresh]));
}

/** What the hooks of all stages draw in a step: each replica group for its own parts of the gradients. */
function noiseForStep(given: ModeInput): (step: number) => readonly Noise[] {
  const config = passedToDdp(given.config);
  const input = { ...given, config };
  return noiseOfGroups(config, () => {
    const schedule = scheduleOf(config);
    const graphOf = createStageGraphs(input, schedule);
    const partOf = partsOfRanks(config, sizedMesh(config));
    return Array.from({ length: schedule.stages }, (_, stage) =>
      replicaGroupsOfStage(config, schedule, stage).flatMap((devices) => {
        const graph = seenOf(input, graphOf(stage, { rows: 2, gradients: 'set', partition: partOf?.(at(devices, 0)) }));
        return graph ? [{ devices, prefix: schedule.stages > 1 ? `stage${stage}.` : '', graph }] : [];
      }),
    ).flat();
  });
}

/** The replica groups of a stage, with the parameters that the stage itself reduces: not unused or shared ones. */
function groupsOfStage(config: Config, schedule: Schedule, stage: number): readonly ReplicaGroup[] {
  const { start, end } = at(layerRanges(config), stage);
  const shared = new Set(tiesOf(config).map(({ name }) => name));
  const own = config.model.layers
    .slice(start, end)
    .flatMap((layer, i) => (layer.type === 'Unused' ? [] : parametersOfLayer(layer, start + i)))
    .filter(({ name }) => !shared.has(name));
  const shapeOn = shapesOn(config);
  return replicaGroupsOfStage(config, schedule, stage).map((devices) => ({
    devices,
    parameters: own.map((parameter) => ({ shape: shapeOn(parameter, at(devices, 0)) })),
  }));
}
