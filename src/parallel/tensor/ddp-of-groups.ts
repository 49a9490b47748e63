/** Which of DDP's settings apply around the parts of a rank of a tensor group. Called by compile.ts and notices.ts. */
import type { DdpOfParts } from '../ddp/around-parts';

const ONE_BATCH =
  'the ranks of a tensor group compute one layer together, so all must have the same rows and equally many batches';

export const DDP_OF_GROUPS: DdpOfParts = {
  noticeId: 'ddp-of-tensor-groups',
  words: ['tensor parallelism', 'the parts of a rank'],
  more: ['noSync'],
  reasons: { join: ONE_BATCH, divideByInitialWorldSize: ONE_BATCH, samplesPerRank: ONE_BATCH },
};
