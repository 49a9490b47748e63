/** Completes a pipeline's settings and refuses those that do not fit its mesh and batches. Called by axes/stages. */
import { refusedSettings } from '../../base/refused-settings';
import type { BatchSchedule } from '../../data/batch-schedule';
import type { Config } from '../../protocol/config';
import { meshSizes, ranksOf, replicasOf } from '../../protocol/mesh-sizes';
import { withDdpOfParts } from '../ddp/around-parts';
import { checkNotZeroOne } from '../even-mesh';
import type { ModeInput } from '../mode-input';
import { checkPolicy } from '../sharded/check-policy';
import { withCuts } from '../tensor/cuts-beside';
import type { AroundStages } from './around-stages';
import { mostMicroBatches } from './short-batch';
import { settleSplit } from './split';
import { scheduleOf } from './stage-graphs';

export function settleStages(input: ModeInput, around: AroundStages): Config {
  checkPolicy(input.config);
  checkSettings(input.config);
  const split = settleSplit(input, scheduleOf(input.config));
  checkNotZeroOne(split);
  around.check?.(split);
  return withCuts({ ...input, config: withDdpOfParts(split, around.ddpSettings) });
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
