/** Words of DistributedDataParallel's settings that the cluster panel always shows; the others are in ddp.ts. */
import { settings } from './setting';

export type MainOfDdp = 'algorithm' | 'bucketCapMb' | 'overlap' | 'samplerSeed';

export const DDP_MAIN = settings<MainOfDdp>('ddp', {
  algorithm: ['All-reduce', 'The algorithm that adds up the gradients of all ranks.'],
  bucketCapMb: [
    'Bucket cap',
    'bucket_cap_mb: a bucket of gradients is closed when it holds this many MiB. Default: the first 1, the others 25. Any number, even 25, also replaces the 1. Real models leave it out; here it is tiny, to give small models several buckets.',
  ],
  overlap: ['Overlap', 'Each bucket is all-reduced while backward still computes; otherwise all of them after it.'],
  samplerSeed: ['Sampler seed', 'seed of the DistributedSampler: the order in which it draws the rows.'],
});
