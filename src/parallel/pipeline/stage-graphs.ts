/**
 * The stages of a pipeline as graphs, the schedule that orders their work, and which device has which stage. Called by
 * this folder and axes/stages.
 */
import { LockstepError } from '../../base/errors';
import { at } from '../../base/invariant';
import { refusedSettings } from '../../base/refused-settings';
import type { Synced } from '../../nn/layer';
import { buffersOfLayer, parametersOfLayer } from '../../nn/model';
import type { Config } from '../../protocol/config';
import { AXES, CUT_AXES, DATA_AXES } from '../../protocol/mesh';
import { meshSizes, placeOf, ranksAlong, ranksOf } from '../../protocol/mesh-sizes';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import { actionsOf } from '../../schedules/actions-of';
import { checkSchedule } from '../../schedules/check-schedule';
import { chosenSchedule } from '../../schedules/chosen';
import type { Schedule } from '../../schedules/schedule';
import { type ShardMap, shardMap, type TensorSpec } from '../../sharding/shard-map';
import type { ModeInput } from '../mode-input';
import type { Partition } from '../partition-pass';
import { layoutsOf } from '../sharded/pieces';
import { outputOf, type StageGraph, type StageOutput, stageGraph } from '../stage-graph';
import { layerRanges } from './split';
import { borrowedBy, stagesByRank, type Tie, tiesOf, usersOf } from './ties';

/**
 * The schedule of the run; throws if the schedule cannot run. `microBatches`: number for a short batch, which may have
 * fewer.
 */
export function scheduleOf(config: Config, microBatches = config.pipeline.microBatches): Schedule {
  const { pp } = meshSizes(config);
  try {
    const schedule = chosenSchedule({ ...config.pipeline, microBatches }, pp);
    checkSchedule(schedule);
    return schedule;
  } catch (error) {
    throw error instanceof LockstepError ? withSettings(error, config, pp) : error;
  }
}

/** Adds the names of the settings to an error that speaks of a schedule's sizes and actions. */
function withSettings({ code, message, hint, details }: LockstepError, config: Config, pp: number): LockstepError {
  const { schedule, microBatches, actions } = config.pipeline;
  const ranks = config.mesh.pp === undefined ? { worldSize: config.worldSize } : { 'mesh.pp': pp };
  const settings =
    schedule === 'own'
      ? { 'pipeline.actions': actions }
      : { 'pipeline.schedule': schedule, 'pipeline.microBatches': microBatches, ...ranks };
  return refusedSettings({ code, settings, why: message.replace(/\.$/, ''), hint, details });
}

/** The devices that hold a stage: all devices with its pipeline rank, at any place on the other axes. */
export function devicesOfStage(config: Config, { rankOfStage }: Schedule, stage: number): readonly DeviceIndex[] {
  const shape = meshSizes(config);
  return ranksAlong(BESIDE_STAGES, { ...placeOf(0, shape), pp: at(rankOfStage, stage) }, shape);
}

/** The devices of a stage by replica group, one group for each part into which the stage's tensors are cut. */
export function replicaGroupsOfStage(
  config: Config,
  { rankOfStage }: Schedule,
  stage: number,
): readonly (readonly DeviceIndex[])[] {
  const shape = meshSizes(config);
  const first = { ...placeOf(0, shape), pp: at(rankOfStage, stage) };
  return ranksAlong(CUT_AXES, first, shape).map((rank) => ranksAlong(DATA_AXES, placeOf(rank, shape), shape));
}

const BESIDE_STAGES = AXES.filter((axis) => axis !== 'pp');

/** The ranks with the last stage; with a V placement these are the first ranks. A rank drives one device. */
export function lossRanks(config: Config): readonly Rank[] {
  const schedule = scheduleOf(config);
  return devicesOfStage(config, schedule, schedule.stages - 1);
}

/** Layers (indices into the configuration) that live on each device. */
export function layersOfDevice(config: Config): readonly (readonly number[])[] {
  const schedule = scheduleOf(config);
  const devices = ranksOf(meshSizes(config));
  const layers: number[][] = Array.from({ length: devices }, () => []);
  layerRanges(config).forEach(({ start, end }, stage) => {
    for (const device of devicesOfStage(config, schedule, stage))
      for (let i = start; i < end; i++) at(layers, device).push(i);
  });
  return layers.map((own) => own.sort((a, b) => a - b));
}

/**
 * Places each tensor on the devices of its stage. A tensor of no layer belongs to the loss, on the last stage's
 * devices.
 */
export function shards(config: Config, tensors: readonly TensorSpec[]): ShardMap {
  const schedule = scheduleOf(config);
  const stageOf = new Map<string, number>();
  layerRanges(config).forEach(({ start, end }, stage) => {
    for (let i = start; i < end; i++) {
      const layer = at(config.model.layers, i);
      for (const { name } of [...parametersOfLayer(layer, i), ...buffersOfLayer(layer, i)]) stageOf.set(name, stage);
    }
  });
  const ties = tiesOf(config);
  const layoutOf = layoutsOf(config);
  return shardMap(tensors, (tensor) => {
    const holders = [stageOf.get(tensor.name) ?? schedule.stages - 1, ...usersOf(ties, tensor.name)];
    const devices = holders.flatMap((stage) => devicesOfStage(config, schedule, stage));
    return layoutOf(
      tensor,
      [...new Set(devices)].sort((a, b) => a - b),
    );
  });
}

/** What distinguishes two graphs of one stage. */
export interface StageRun {
  readonly rows: number;
  readonly gradients: 'set' | 'add';
  /** The ranks over which batch norm is synchronised; absent: it is not. */
  readonly synced?: Synced | undefined;
  /** The rank's part of the tensors; absent: whole tensors. */
  readonly partition?: Partition | undefined;
}

/** Makes graphs of stages for given numbers of rows, and caches them. */
export function createStageGraphs(
  input: ModeInput,
  schedule = scheduleOf(input.config),
): (stage: number, run: StageRun) => StageGraph {
  const ranges = layerRanges(input.config);
  const ties = tiesOf(input.config);
  const added = addedTo(ties, schedule);
  const made = new Map<string, StageGraph>();
  const graphOf = (stage: number, run: StageRun): StageGraph => {
    const key = `${stage} ${run.rows} ${run.gradients} ${run.synced?.ranks} ${run.synced?.rows} ${run.partition?.part}`;
    const found = made.get(key);
    if (found) return found;
    // Only the output names and shapes of the stage before matter here, not whether its gradients are set or added.
    const before = stage === 0 ? undefined : graphOf(stage - 1, { ...run, gradients: 'add' });
    const graph = stageGraph(input, {
      ...run,
      range: at(ranges, stage),
      ...(before ? outputOf(before) : {}),
      withLoss: stage === ranges.length - 1,
      needInputGradient: stage > 0,
      borrowed: borrowedBy(ties, stage),
      added: at(added, stage),
    });
    made.set(key, graph);
    return graph;
  };
  return graphOf;
}

/** For each stage, the tied parameters whose gradient another stage of the same rank sets first, so this stage adds. */
function addedTo(ties: readonly Tie[], { stages, orders, rankOfStage }: Schedule): readonly ReadonlySet<string>[] {
  const added = Array.from({ length: stages }, () => new Set<string>());
  for (const tie of ties)
    for (const [rank, ofRank] of stagesByRank(tie, rankOfStage)) {
      const actions = at(orders, rank).flatMap((cell) => actionsOf([cell]));
      const first = actions.find(({ kind, stage }) => (kind === 'B' || kind === 'W') && ofRank.includes(stage));
      for (const stage of ofRank) if (stage !== first?.stage) at(added, stage).add(tie.name);
    }
  return added;
}

/** One row of the tensor that each stage sends to the next. */
export function borders(input: ModeInput): readonly StageOutput[] {
  const graphOf = createStageGraphs(input);
  const stages = layerRanges(input.config).length;
  // Two rows, because batch norm refuses a single row.
  return Array.from({ length: stages - 1 }, (_, stage) => outputOf(graphOf(stage, { rows: 2, gradients: 'add' })));
}
