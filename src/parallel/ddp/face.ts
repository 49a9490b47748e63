/** DistributedDataParallel: what the page says about it. */
import type { Config } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';
import { SCALE_FREE } from '../../protocol/config/optimizer';
import { isDecoupled } from '../../protocol/config/optimizer-kinds';
import { namesOf } from '../../protocol/words/algorithms';
import { DDP_MAIN } from '../../protocol/words/ddp-main';
import { AUTOCAST, countWord, type Face, NORM_OF_PARTS } from '../face';

export const ddp: Face = {
  name: 'ddp',
  title: 'DistributedDataParallel',
  listed: 'DDP',
  short: 'DDP',
  about: 'One process per device; gradients are all-reduced in buckets while backward runs',
  seen: (devices) =>
    devices === 1
      ? 'One replica of one net, with all the samples. Watch it learn.'
      : `${countWord(devices)} replicas of one net, each with its own samples. Watch them agree.`,
  precisions: [...AUTOCAST, 'bf16'],
  gradScaler: true,
  link: 'ddp',
  alsoCalled: ['distributeddataparallel'],
  axes: ['dpReplicate'],
  sections: ['ddp'],
  controls: [
    { kind: 'choice', setting: DDP_MAIN.algorithm, words: namesOf('short') },
    { kind: 'size', setting: DDP_MAIN.bucketCapMb },
    { kind: 'flag', setting: DDP_MAIN.overlap },
    { kind: 'number', setting: DDP_MAIN.samplerSeed },
    { kind: 'panel', panel: 'buckets' },
    { kind: 'panel', panel: 'moreOfDdp' },
  ],
  processPerDevice: true,
  launchable: true,
  splitsBatch: true,
  buckets: true,
  role: (device) => ({ title: `rank ${device}`, beside: `cuda:${device}`, hasRows: true, keepsState: true }),
  differenceCause,
};

function differenceCause(config: Config): string | undefined {
  const { model, ddp: settings, loss, optimizer, clipGradNorm, clipGradValue, precision } = config;
  if (!settings.initSync && settings.rankSeeds === 'beforeModel') return 'the ranks began with different weights';
  if (loss.reduction === 'sum' && !((clipGradNorm ?? clipGradValue) === undefined && ignoresScale(optimizer)))
    return 'gradients of a summed loss are averaged over ranks, too';
  if (settings.samplesPerRank && new Set(settings.samplesPerRank).size > 1)
    return 'ranks with fewer rows count as much as the others';
  if (settings.commHook.type === 'localSGD') return 'each rank steps by itself between two averages';
  if (settings.commHook.type !== 'allreduce') return 'the communication hook sends less than the gradients';
  if (batchNorms(model.layers) > 0 && !settings.syncBatchNorm) return NORM_OF_PARTS;
  return precision === 'bf16' ? 'each rank’s gradients, and their sum, are rounded to bfloat16' : undefined;
}

/** Whether a common factor of all gradients changes nothing. A term that is added to the gradients would not cancel. */
const ignoresScale = (optimizer: Config['optimizer']): boolean =>
  SCALE_FREE.has(optimizer.type) && (optimizer.weightDecay === 0 || isDecoupled(optimizer));
