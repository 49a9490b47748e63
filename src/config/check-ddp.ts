/**
 * DDP's settings that cannot go together, refused with the reason. What merely has no effect is told by ddp-notices.ts.
 */
import { LockstepError } from '../base/errors';
import type { BatchSchedule } from '../data/batch-schedule';
import type { Config } from '../protocol/config';

/** Hooks that work on the flat bucket itself. */
const COMPRESSING: ReadonlySet<string> = new Set(['fp16Compress', 'bf16Compress', 'powerSGD']);

export function checkDdp({ mode, ddp, worldSize }: Config): void {
  if (mode !== 'ddp') return;
  const refuse = (message: string, hint: string): never => {
    throw new LockstepError('config', message, hint);
  };
  if (ddp.samplesPerRank && ddp.samplesPerRank.length !== worldSize) {
    refuse(
      `ddp.samplesPerRank: has ${ddp.samplesPerRank.length} numbers for ${worldSize} ranks.`,
      'Give one number of rows per rank.',
    );
  }
  if (ddp.samplesPerRank && Math.max(...ddp.samplesPerRank) === 0)
    refuse('ddp.samplesPerRank: no rank has a row.', 'Give at least one rank some rows.');
  if (ddp.gradientAsBucketView && COMPRESSING.has(ddp.commHook.type)) {
    refuse(
      `ddp.gradientAsBucketView: the hook ${ddp.commHook.type} compresses a flat bucket, and here the gradients are the bucket.`,
      'Take the allreduce hook, or leave gradientAsBucketView off.',
    );
  }
}

/** Once it is known how many batches each rank has. */
export function checkSchedule({ accumulate, ddp }: Config, { totals }: BatchSchedule): void {
  if (accumulate === 1 || !ddp.join || new Set(totals).size === 1) return;
  throw new LockstepError(
    'config',
    `accumulate: ranks with ${totals.join(', ')} batches would leave join() in the middle of a group of ${accumulate} micro-batches, each at another place in its group.`,
    'Set accumulate to 1, or give every rank equally many batches.',
    { accumulate, totals },
  );
}
