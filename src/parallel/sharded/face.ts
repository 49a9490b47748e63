/** Sharded data parallelism: what the page says about it. */
import type { Config } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';
import { meshSizes, placeOf } from '../../protocol/mesh-sizes';
import { AUTOCAST, countWord, type Face, NORM_OF_PARTS } from '../face';

export const sharded: Face = {
  name: 'sharded',
  title: 'Sharded data parallel',
  listed: 'Sharded',
  short: 'Sharded',
  tight: 'Shard',
  about: 'Each rank keeps a shard of every parameter; a layer is gathered before it computes and freed afterwards',
  seen: (devices) =>
    devices === 1
      ? 'One net on one rank, which keeps all of it. Watch it learn.'
      : `${countWord(devices)} ranks, each with a shard of one net and its own samples. Watch each layer become whole.`,
  precisions: [...AUTOCAST, 'bf16'],
  gradScaler: true,
  link: 'sharded',
  alsoCalled: ['fsdp', 'fsdp2', 'zero', 'fullyshard', 'fullyshardeddataparallel', 'deepspeed'],
  axes: ['dpReplicate', 'dpShard', 'tp'],
  sections: ['sharded', 'mesh', 'tensor', 'ddp'],
  controls: [
    { kind: 'panel', panel: 'mesh' },
    { kind: 'panel', panel: 'sharding' },
    { kind: 'panel', panel: 'plan' },
  ],
  processPerDevice: true,
  launchable: true,
  splitsBatch: true,
  role: (device, config) => {
    const shape = meshSizes(config);
    const place = placeOf(device, shape);
    const part = shape.tp > 1 ? `, part ${place.tp} of ${shape.tp}` : '';
    const replica = shape.dpReplicate > 1 ? `, replica ${place.dpReplicate}` : '';
    return {
      title: `rank ${device}`,
      beside: `shard ${place.dpShard} of ${shape.dpShard}${part}${replica}`,
      hasRows: true,
      keepsState: true,
    };
  },
  differenceCause,
};

function differenceCause({ loss, model, ddp }: Config): string | undefined {
  if (loss.reduction === 'sum') return 'gradients of a summed loss are averaged over ranks, too';
  return batchNorms(model.layers) > 0 && !ddp.syncBatchNorm ? NORM_OF_PARTS : undefined;
}
