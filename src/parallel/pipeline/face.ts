/** Pipeline: what the page says about it. */
import type { Config } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';
import { meshSizes, placeOf, replicasOf } from '../../protocol/mesh-sizes';
import { AUTOCAST, countWord, dataWords, type Face } from '../face';
import { mostRanks, stagesOfRank, stagesWanted } from './face-size';

export const pipeline: Face = {
  name: 'pipeline',
  title: 'Pipeline',
  listed: 'Pipeline',
  short: 'Pipeline',
  tight: 'Pipe',
  about:
    'Stages of the net on different ranks; the batch goes through in micro-batches, so that all ranks work at once',
  seen: (devices) =>
    devices === 1
      ? 'One net in one stage, its batch cut into micro-batches. Watch it learn.'
      : `One net, cut into stages for ${countWord(devices).toLowerCase()} ranks. Watch the batch pass in small pieces, so that all work.`,
  precisions: AUTOCAST,
  gradScaler: true,
  link: 'pipeline',
  alsoCalled: ['pp', 'pipelineparallel', 'gpipe'],
  axes: ['pp', 'dpReplicate', 'dpShard', 'tp'],
  sections: ['pipeline', 'mesh', 'sharded', 'tensor', 'ddp'],
  controls: [
    { kind: 'panel', panel: 'mesh' },
    { kind: 'panel', panel: 'stages' },
    { kind: 'panel', panel: 'schedule' },
    { kind: 'panel', panel: 'sharding' },
  ],
  processPerDevice: true,
  launchable: true,
  role: (device, config) => {
    const shape = meshSizes(config);
    const place = placeOf(device, shape);
    const { pp, tp } = place;
    const part = shape.tp > 1 ? `, part ${tp} of ${shape.tp}` : '';
    const [shard, replica] = dataWords(device, config);
    return {
      title: `rank ${device}`,
      beside: `${stagesOn(pp, config)}${shard}${part}${replica}`,
      hasRows: pp === 0,
      keepsState: true,
    };
  },
  layersWanted: stagesWanted,
  mostDevices: mostRanks,
  differenceCause,
};

/**
 * 'stage 2', 'stages 2 and 6'. The user's own schedule places the stages itself, so it gives only the pipeline rank.
 */
function stagesOn(pp: number, config: Config): string {
  const { schedule } = config.pipeline;
  if (schedule === 'own') return `pipeline rank ${pp}`;
  const ranks = meshSizes(config).pp;
  const all = Array.from({ length: stagesOfRank(config.pipeline) }, (_, i) =>
    V_PLACED.has(schedule) && i % 2 === 1 ? (i + 1) * ranks - 1 - pp : i * ranks + pp,
  );
  return all.length === 1 ? `stage ${all[0]}` : `stages ${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** Schedules that place stages in a V: the last rank has two neighbouring stages. */
const V_PLACED: ReadonlySet<Config['pipeline']['schedule']> = new Set(['ZBVZeroBubble', 'DualPipeV']);

function differenceCause(config: Config): string | undefined {
  const { model, pipeline: settings, batchSize } = config;
  if (batchNorms(model.layers) > 0) return 'batch norm takes the statistics of each micro-batch by itself';
  if (!settings.scaleGrads && settings.microBatches > 1)
    return 'the gradients of the micro-batches are summed, not averaged';
  if (Math.floor(batchSize / replicasOf(config)) % settings.microBatches > 0)
    return 'micro-batches with fewer rows count as much as the others';
  return undefined;
}
