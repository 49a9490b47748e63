/** Tensor parallelism: what the page says about it. */
import type { Config } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';
import { meshSizes, placeOf, replicasOf } from '../../protocol/mesh-sizes';
import { AUTOCAST, countWord, dataWords, type Face, NORM_OF_PARTS } from '../face';
import { mostTensorRanks } from './face-size';

export const tensor: Face = {
  name: 'tensor',
  title: 'Tensor parallel',
  listed: 'Tensor parallel',
  short: 'Tensor',
  about:
    'Each layer cut among the ranks: every rank multiplies by its part of the weights, and all-reduces join the parts',
  seen: (devices) =>
    devices === 1
      ? 'One net on one rank, which has every layer whole. Watch it learn.'
      : `One net on ${countWord(devices).toLowerCase()} ranks, its layers cut among the ranks of a group. Watch the parts come together.`,
  link: 'tensor',
  alsoCalled: ['tp', 'tensorparallel', 'megatron', 'sequenceparallel'],
  axes: ['dpReplicate', 'dpShard', 'tp'],
  precisions: AUTOCAST,
  gradScaler: true,
  sections: ['tensor', 'mesh', 'sharded', 'ddp'],
  controls: [
    { kind: 'panel', panel: 'mesh' },
    { kind: 'panel', panel: 'plan' },
    { kind: 'panel', panel: 'sharding' },
  ],
  processPerDevice: true,
  launchable: true,
  role: (device, config) => {
    const shape = meshSizes(config);
    const place = placeOf(device, shape);
    const [shard, replica] = dataWords(device, config);
    return {
      title: `rank ${device}`,
      beside: `part ${place.tp} of ${shape.tp}${shard}${replica}`,
      hasRows: true,
      keepsState: true,
    };
  },
  mostDevices: mostTensorRanks,
  differenceCause,
};

function differenceCause(config: Config): string | undefined {
  if (replicasOf(config) === 1) return undefined;
  if (config.loss.reduction === 'sum') return 'gradients of a summed loss are averaged over replicas, too';
  return batchNorms(config.model.layers) > 0 && !config.ddp.syncBatchNorm ? NORM_OF_PARTS : undefined;
}
