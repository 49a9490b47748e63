/** Which of DDP's settings apply around the parts of a rank of a tensor group. Called by compile.ts and notices.ts. */
import type { DdpOfParts } from '../ddp/around-parts';

const ONE_BATCH =
  'the ranks of a tensor group compute one layer together, so all must have the same rows and equally many batches';
const WHOLE = 'the hook makes matrices of whole gradients, and each rank of a tensor group has a part of them';

export const DDP_OF_GROUPS: DdpOfParts = {
  noticeId: 'ddp-of-tensor-groups',
  words: ['tensor parallelism', 'the parts of a rank'],
  more: ['noSync'],
  noHooks: { powerSGD: WHOLE, localSGD: 'the hook averages whole models, and each rank has a part of one' },
  reasons: { join: ONE_BATCH, divideByInitialWorldSize: ONE_BATCH, samplesPerRank: ONE_BATCH },
};
