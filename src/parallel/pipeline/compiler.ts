/** The part of the mode that is loaded when a run needs it. Only mode.ts imports this file. */
import { refusedSettings } from '../../base/refused-settings';
import type { BatchSchedule } from '../../data/batch-schedule';
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { Config } from '../../protocol/config';
import { meshSizes, ranksOf, replicasOf, shardsParameters } from '../../protocol/mesh-sizes';
import type { PipelineReport } from '../../protocol/report';
import type { ShardingInfo } from '../../protocol/session-info';
import { figuresOf } from '../../schedules/figures';
import { withDdpOfParts } from '../ddp/around-parts';
import type { ModeInput } from '../mode';
import { checkPolicy } from '../sharded/check-policy';
import { shardingInfo } from '../sharded/sharding-info';
import { checkPlan } from '../tensor/check-plan';
import { withPlan } from '../tensor/plan';
import { checkShardsOfStages, ddpOfStages, unitsOfStages } from './shards-of-stages';
import { mostMicroBatches } from './short-batch';
import { settle as settleSplit } from './split';
import { scheduleOf } from './stages';

export { pipelineForm as closedForm } from './closed-form';
export { compile } from './compile';
export { memoryAdvice } from './memory-advice';
export { pipelineNotices as notices } from './notices';
export { noiseForStep } from './replica-sync';
export { borders, layersOfDevice, lossRanks, shards } from './stages';

/** The schedule's figures for the report. */
export const scheduleFigures = (config: Config): PipelineReport => figuresOf(scheduleOf(config));

export function settle(input: ModeInput): Config {
  checkPolicy(input.config);
  checkSettings(input.config);
  const split = settleSplit(input, scheduleOf(input.config));
  checkShardsOfStages(split);
  const config = withDdpOfParts(split, ddpOfStages(split));
  if (meshSizes(config).tp === 1) return config;
  const cut = withPlan(config);
  checkPlan({ ...input, config: cut });
  return cut;
}

/** Describes the shards that the first rank keeps of its stages. */
export function sharding(input: ModeInput, mesh: DeviceMesh): ShardingInfo | undefined {
  if (!shardsParameters(input.config)) return undefined;
  const { rankOfStage } = scheduleOf(input.config);
  const own = rankOfStage.flatMap((rank, stage) => (rank === 0 ? [stage] : []));
  return shardingInfo(input, mesh, { stages: unitsOfStages(input.config), own });
}

/** The checks that need only the settings. */
function checkSettings(config: Config): void {
  const { accumulate, mesh, worldSize } = config;
  const { microBatches, schedule, actions } = config.pipeline;
  const replicas = replicasOf(config);
  if (accumulate > 1)
    throw refusedSettings({
      settings: { accumulate, mode: 'pipeline', 'pipeline.microBatches': microBatches },
      why: 'in this mode only pipeline.microBatches divides the batch',
      hint: 'Set accumulate to 1, and pipeline.microBatches to the number of micro-batches.',
    });
  const ofPipeline = ranksOf({ ...meshSizes(config), pp: 1 });
  if (mesh.pp === undefined && worldSize % ofPipeline > 0)
    throw refusedSettings({
      code: 'placement',
      settings: {
        worldSize,
        'mesh.dpReplicate': mesh.dpReplicate,
        ...(mesh.dpShard === undefined ? {} : { 'mesh.dpShard': mesh.dpShard }),
        ...(mesh.tp === undefined ? {} : { 'mesh.tp': mesh.tp }),
      },
      why: `${worldSize} ${worldSize === 1 ? 'device' : 'devices'} cannot be divided evenly among ${replicas} replicas of a pipeline${mesh.tp === undefined ? '' : ` with ${mesh.tp} ranks for each layer`}`,
      hint: 'Set mesh.dpReplicate to a divisor of worldSize, or mesh.pp to the number of ranks of one pipeline.',
    });
  if (schedule === 'own' && actions === undefined)
    throw refusedSettings({
      settings: { 'pipeline.schedule': schedule, 'pipeline.actions': actions },
      why: 'with the schedule "own", pipeline.actions must be given',
      hint: 'Write one row per rank into pipeline.actions, as in 0F0,0F1,0B0,0B1, or choose one of torch’s schedules.',
    });
}

/**
 * Every micro-batch needs a row. A short last batch may have fewer micro-batches, if the schedule can order that many.
 */
export function checkBatches(config: Config, { sizes }: BatchSchedule): void {
  const { batchSize, dropLast, pipeline } = config;
  const { microBatches } = pipeline;
  for (const rows of Object.values(sizes)) {
    const least = Math.min(...(rows ?? [microBatches]));
    if (least >= microBatches) continue;
    const isLast = rows !== sizes.full;
    if (isLast && mostMicroBatches(config, least) !== undefined) continue;
    const rowsText = `${least} ${least === 1 ? 'row' : 'rows'}`;
    throw refusedSettings({
      code: 'placement',
      settings: { 'pipeline.microBatches': microBatches, batchSize, ...(isLast ? { dropLast } : {}) },
      why: isLast
        ? `the last batch of an epoch has ${rowsText}, and ${scheduleName(config)} cannot run so few micro-batches`
        : `a batch of ${rowsText} cannot be cut into ${microBatches} micro-batches`,
      hint: isLast
        ? 'Set dropLast to true, or choose GPipe, which runs any number of micro-batches.'
        : `Set pipeline.microBatches to at most ${least}, or make the batch larger.`,
      details: { rows: least },
    });
  }
}

const scheduleName = ({ pipeline: { schedule } }: Config): string =>
  schedule === 'own' ? 'your own schedule' : schedule;
