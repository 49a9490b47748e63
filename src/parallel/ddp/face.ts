/** DistributedDataParallel: what the page says about it. */
import type { Config } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';
import { type Face, NORM_OF_PARTS } from '../face';

const ALGORITHMS: Readonly<Record<Config['ddp']['algorithm'], string>> = {
  ring: 'ring',
  naive: 'naive (through rank 0)',
  tree: 'binary tree',
  doubleTree: 'double binary tree',
  halvingDoubling: 'halving-doubling',
  hierarchical: 'hierarchical over nodes',
};

export const ddp: Face = {
  name: 'ddp',
  title: 'DistributedDataParallel',
  short: 'DDP',
  about: 'One process per device; gradients are all-reduced in buckets while backward runs',
  link: 'ddp',
  alsoCalled: ['distributeddataparallel'],
  section: 'ddp',
  controls: [
    { kind: 'choice', label: 'All-reduce', path: 'ddp.algorithm', words: ALGORITHMS },
    {
      kind: 'size',
      label: 'Bucket cap',
      path: 'ddp.bucketCapMb',
      title:
        'bucket_cap_mb: a gradient bucket is closed when it holds this much. “default”: the first 1 MiB, the others 25 MiB. Any number, even 25, also replaces the 1 MiB of the first. Real models leave it out; it is tiny here so that small models have several buckets',
    },
    { kind: 'flag', label: 'Overlap', path: 'ddp.overlap', title: 'All-reduce while backward still computes' },
    { kind: 'number', label: 'Sampler seed', path: 'ddp.samplerSeed' },
    { kind: 'panel', panel: 'buckets' },
    { kind: 'panel', panel: 'ddp' },
  ],
  processPerDevice: true,
  launchable: true,
  splitsBatch: true,
  buckets: true,
  dropLast:
    'drop_last of the DistributedSampler: leaves out up to N−1 rows so that all N ranks have equally many, instead of repeating rows. A last batch that is not full is still trained on.',
  differenceCause,
};

function differenceCause(config: Config): string | undefined {
  const { model, ddp: settings, loss, optimizer, clipGradNorm, clipGradValue } = config;
  if (!settings.initSync && settings.rankSeeds === 'beforeModel') return 'the ranks began with weights of their own';
  if (loss.reduction === 'sum' && !((clipGradNorm ?? clipGradValue) === undefined && ignoresScale(optimizer)))
    return 'gradients of a summed loss are averaged over ranks all the same';
  if (settings.samplesPerRank && new Set(settings.samplesPerRank).size > 1)
    return 'ranks with fewer rows count as much as the others';
  if (settings.commHook.type === 'localSGD') return 'ranks step by themselves between two averages';
  if (settings.commHook.type !== 'allreduce') return 'the communication hook sends less than the gradients';
  return batchNorms(model.layers) > 0 && !settings.syncBatchNorm ? NORM_OF_PARTS : undefined;
}

/**
 * They divide by the size of the gradients, so that a factor before all of them cancels; what is added to the gradients
 * would not.
 */
const ignoresScale = (optimizer: Config['optimizer']): boolean =>
  optimizer.type === 'AdamW' || (SCALE_FREE.has(optimizer.type) && optimizer.weightDecay === 0);
const SCALE_FREE: ReadonlySet<Config['optimizer']['type']> = new Set(['Adam', 'Adamax', 'NAdam', 'RMSprop']);
