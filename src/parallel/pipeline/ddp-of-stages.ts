/** Which of DDP's settings apply around the stages of a pipeline. Called by shards-of-stages.ts. */
import type { DdpOfParts } from '../ddp/around-parts';

const NO_JOIN =
  'join() shadows the collectives of DDP, and not the messages between stages: a replica without rows would leave its neighbours waiting';

export const DDP_OF_STAGES: DdpOfParts = {
  noticeId: 'ddp-of-stages',
  words: ['a pipeline', 'a stage'],
  more: [],
  noHooks: {},
  reasons: {
    join: NO_JOIN,
    divideByInitialWorldSize: NO_JOIN,
    samplesPerRank: NO_JOIN,
    noSync: 'the schedule itself calls no_sync() around every micro-batch but the last',
    staticGraph:
      'PyTorch 2.13 runs static_graph here and computes other gradients, because its first iteration counts the backward passes of all micro-batches',
  },
};
