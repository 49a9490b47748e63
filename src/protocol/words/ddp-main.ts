/** Words of DistributedDataParallel's settings that the cluster panel always shows; the others are in ddp.ts. */
import { settings } from './setting';

export type MainOfDdp = 'algorithm' | 'bucketCapMb' | 'overlap' | 'samplerSeed';

export const DDP_MAIN = settings<MainOfDdp>('ddp', {
  algorithm: ['All-reduce', 'The algorithm that adds up the gradients of all ranks.'],
  bucketCapMb: [
    'Bucket cap',
    'bucket_cap_mb: DDP closes a bucket of gradients at this many MiB. Default: 1 for the first bucket, 25 for the others; any number, even 25, also replaces the 1. The cap is tiny here, so that small models get several buckets.',
  ],
  overlap: [
    'Overlap',
    'On: each bucket is all-reduced while backward still computes. Off: all buckets are all-reduced after backward.',
  ],
  samplerSeed: ['Sampler seed', 'seed of the DistributedSampler, which decides the order of the rows.'],
});
