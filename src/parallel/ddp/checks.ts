/**
 * DDP's settings that cannot go together, refused with the reason. Settings that merely have no effect are notices
 * (notices.ts). Called through mode.ts.
 */
import { LockstepError } from '../../base/errors';
import type { BatchSchedule } from '../../data/batch-schedule';
import type { Config } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';

/** Hooks that work on the flat bucket itself. */
const COMPRESSING: ReadonlySet<string> = new Set(['fp16Compress', 'bf16Compress', 'powerSGD']);

const refuse = (message: string, hint: string): never => {
  throw new LockstepError('config', message, hint);
};

export function checkDdp(config: Config): void {
  checkRows(config);
  checkHook(config);
}

function checkRows({ ddp, worldSize, batchSize }: Config): void {
  if (batchSize < worldSize) {
    throw new LockstepError(
      'placement',
      `Batch size ${batchSize} is smaller than the world size ${worldSize}: ${worldSize - batchSize} ranks would get no sample.`,
      `Use a batch of at least ${worldSize}, or fewer ranks.`,
      { batchSize, worldSize },
    );
  }
  if (ddp.samplesPerRank && ddp.samplesPerRank.length !== worldSize) {
    refuse(
      `ddp.samplesPerRank: has ${ddp.samplesPerRank.length} numbers for ${worldSize} ranks.`,
      'Give one number of rows per rank.',
    );
  }
  if (ddp.samplesPerRank && Math.max(...ddp.samplesPerRank) === 0)
    refuse('ddp.samplesPerRank: no rank has a row.', 'Give at least one rank some rows.');
}

function checkHook({ ddp, accumulate, model }: Config): void {
  if (ddp.gradientAsBucketView && COMPRESSING.has(ddp.commHook.type)) {
    refuse(
      `ddp.gradientAsBucketView: the hook ${ddp.commHook.type} compresses a flat bucket, and here the gradients are the bucket.`,
      'Take the allreduce hook, or leave gradientAsBucketView off.',
    );
  }
  const hook = ddp.commHook;
  if (hook.type === 'powerSGD' && (hook.useErrorFeedback || hook.warmStart) && hook.startPowerSGDIter <= 1) {
    refuse(
      'Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, because PowerSGD can only be applied after the first two iterations in DDP.',
      'Set startPowerSGDIter to 2 or more, or turn both off.',
    );
  }
  const reducesAlways = accumulate > 1 && (ddp.noSync === 'backward' || ddp.noSync === 'none');
  if ((hook.type === 'powerSGD' || hook.type === 'localSGD') && reducesAlways) {
    refuse(
      `ddp.noSync: with "${ddp.noSync}" every micro-batch is reduced, and ${hook.type} counts its steps by reductions.`,
      'Take noSync "both" or "forward", or set accumulate to 1.',
    );
  }
  if (ddp.syncBatchNorm && ddp.join && batchNorms(model.layers) > 0) {
    refuse(
      'ddp.syncBatchNorm: its collectives in the forward pass have no shadow on ranks that have joined.',
      'PyTorch asks for join(throw_on_early_termination=True) there; turn join off, or use plain BatchNorm.',
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
