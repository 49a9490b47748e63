/** Which of DDP's settings apply if fully_shard averages the gradients. Called by settle.ts and notices.ts. */
import type { DdpOfParts } from '../ddp/around-parts';

const SAME_ROWS =
  'the ranks of a shard group gather each unit together, so all must have equally many rows and batches';

export const NO_DDP: DdpOfParts = {
  noticeId: 'ddp-of-shards',
  words: ['sharded data parallelism', 'fully_shard'],
  only: ['algorithm', 'samplerSeed', 'setEpoch', 'syncBatchNorm'],
  more: [],
  reasons: {
    join: SAME_ROWS,
    samplesPerRank: SAME_ROWS,
    divideByInitialWorldSize: SAME_ROWS,
    rankSeeds: 'fully_shard broadcasts no parameters, so the ranks must begin with the same ones',
    noSync: 'sharded.syncEveryPass says which micro-batches reduce',
  },
};
