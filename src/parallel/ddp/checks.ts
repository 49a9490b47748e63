/**
 * Refuses combinations of DDP's settings that cannot work. For settings that merely have no effect, notices.ts has a
 * notice. Called by axes/.
 */
import { refusedSettings } from '../../base/refused-settings';
import type { BatchSchedule } from '../../data/batch-schedule';
import type { Config } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';
import { modelHalf } from '../../protocol/half-of';

/** Hooks that work on the flat bucket itself. */
export const COMPRESSING: ReadonlySet<string> = new Set(['fp16Compress', 'bf16Compress', 'powerSGD']);

export function checkDdp(config: Config): void {
  checkRows(config);
  checkHook(config);
  checkBfloat16(config);
}

/** Settings that read or keep the flat bucket itself, which a model in bfloat16 has packed. */
function checkBfloat16({ precision, ddp }: Config): void {
  if (modelHalf(precision) === undefined) return;
  const { commHook, gradientAsBucketView } = ddp;
  if (commHook.type === 'allreduce' && !gradientAsBucketView) return;
  throw refusedSettings({
    settings: {
      precision,
      ...(gradientAsBucketView
        ? { 'ddp.gradientAsBucketView': gradientAsBucketView }
        : { 'ddp.commHook.type': commHook.type }),
    },
    why: 'this playground does not run the two together',
    hint: 'Set precision to "autocast-bf16".',
  });
}

function checkRows({ ddp: { samplesPerRank }, worldSize, batchSize, shuffle }: Config): void {
  if (batchSize < worldSize) {
    const without = worldSize - batchSize;
    throw refusedSettings({
      code: 'placement',
      settings: { batchSize, worldSize },
      why: `${without} ${without === 1 ? 'rank' : 'ranks'} would get no row of the batch`,
      hint: `Use a batch of at least ${worldSize}, or fewer ranks.`,
    });
  }
  if (!samplesPerRank) return;
  const settings = { 'ddp.samplesPerRank': samplesPerRank };
  if (samplesPerRank.length !== worldSize)
    throw refusedSettings({
      settings: { ...settings, worldSize },
      why: `the list has ${samplesPerRank.length} ${samplesPerRank.length === 1 ? 'number' : 'numbers'}, but there are ${worldSize} ${worldSize === 1 ? 'rank' : 'ranks'}`,
      hint: 'Give one number of rows per rank.',
    });
  const empty = samplesPerRank.indexOf(0);
  if (shuffle && empty !== -1)
    throw refusedSettings({
      settings: { ...settings, shuffle },
      why: `the RandomSampler of rank ${empty} refuses a dataset without rows: num_samples should be a positive integer value, but got num_samples=0`,
      hint: `Give rank ${empty} at least one row, or set shuffle to false.`,
    });
  if (Math.max(...samplesPerRank) === 0)
    throw refusedSettings({
      settings,
      why: 'no rank has a row to train on',
      hint: 'Give at least one rank some rows.',
    });
}

function checkHook(config: Config): void {
  const { ddp, model } = config;
  const { commHook: hook, gradientAsBucketView, syncBatchNorm, join } = ddp;
  const settings = { 'ddp.commHook.type': hook.type };
  if (gradientAsBucketView && COMPRESSING.has(hook.type))
    throw refusedSettings({
      settings: { 'ddp.gradientAsBucketView': gradientAsBucketView, ...settings },
      why: 'the hook writes a compressed copy of the bucket, but with gradientAsBucketView the gradients are stored in the bucket itself',
      hint: 'Set ddp.commHook.type to "allreduce", or ddp.gradientAsBucketView to false.',
    });
  if (hook.type === 'powerSGD' && (hook.useErrorFeedback || hook.warmStart) && hook.startPowerSGDIter <= 1)
    throw refusedSettings({
      settings: {
        'ddp.commHook.startPowerSGDIter': hook.startPowerSGDIter,
        'ddp.commHook.useErrorFeedback': hook.useErrorFeedback,
        'ddp.commHook.warmStart': hook.warmStart,
      },
      why: 'Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, because PowerSGD can only be applied after the first two iterations in DDP',
      hint: 'Set startPowerSGDIter to 2 or more, or useErrorFeedback and warmStart to false.',
    });
  checkReductions(config);
  if (syncBatchNorm && join && batchNorms(model.layers) > 0)
    throw refusedSettings({
      settings: { 'ddp.syncBatchNorm': syncBatchNorm, 'ddp.join': join },
      why: 'SyncBatchNorm calls collectives in the forward pass, and ranks that have joined do not take part in them',
      hint: 'PyTorch requires join(throw_on_early_termination=True) with SyncBatchNorm. Set ddp.join or ddp.syncBatchNorm to false.',
    });
}

/** Refuses hooks with a state if DDP reduces more often than the optimiser steps. */
export function checkReductions({ ddp: { commHook: hook, noSync }, accumulate }: Config): void {
  const reducesAlways = accumulate > 1 && (noSync === 'backward' || noSync === 'none');
  if ((hook.type === 'powerSGD' || hook.type === 'localSGD') && reducesAlways)
    throw refusedSettings({
      settings: { 'ddp.noSync': noSync, accumulate, 'ddp.commHook.type': hook.type },
      why: 'every micro-batch is all-reduced, and this hook counts each all-reduce as a step',
      hint: 'Set ddp.noSync to "both" or "forward", or accumulate to 1.',
    });
}

/** The checks that need to know how many batches each rank has. */
export function checkSchedule(config: Config, { totals }: BatchSchedule): void {
  const { accumulate, ddp } = config;
  if (new Set(totals).size === 1) return;
  if (!ddp.join) checkFirstStep(config, totals);
  else if (ddp.commHook.type === 'localSGD')
    throw refusedSettings({
      settings: {
        'ddp.commHook.type': ddp.commHook.type,
        'ddp.join': ddp.join,
        'ddp.samplesPerRank': ddp.samplesPerRank,
      },
      why: `the ranks have ${totals.join(', ')} batches. PostLocalSGDOptimizer averages the parameters with an all_reduce of its own, which a rank that has joined does not call: PyTorch stops with “Received data size doesn’t match expected size”`,
      hint: 'Give every rank the same number of batches, or set ddp.commHook.type to "allreduce".',
      details: { totals },
    });
  else if (accumulate > 1)
    throw refusedSettings({
      settings: { accumulate, 'ddp.join': ddp.join, 'ddp.samplesPerRank': ddp.samplesPerRank },
      why: `the ranks have ${totals.join(', ')} batches so some rank would run out of batches in the middle of a step of ${accumulate} micro-batches`,
      hint: 'Set accumulate to 1, or give every rank the same number of batches.',
      details: { totals },
    });
}

/** Without join the ranks hang when the first rank runs out of batches; at least one step must end before that. */
function checkFirstStep({ accumulate, batchSize, dropLast, ddp }: Config, totals: readonly number[]): void {
  const fewest = Math.min(...totals);
  if (fewest >= accumulate) return;
  throw refusedSettings({
    code: 'data',
    settings: { 'ddp.samplesPerRank': ddp.samplesPerRank, batchSize, accumulate, dropLast, 'ddp.join': ddp.join },
    why: `rank ${totals.indexOf(fewest)} has ${fewest} of the ${accumulate} ${accumulate === 1 ? 'batch' : 'micro-batches'} that step 0 needs, and the other ranks would wait for it in all_reduce forever`,
    hint: `Give each rank more rows, make the batch smaller${dropLast ? ', set dropLast to false' : ''}, or set ddp.join to true.`,
    details: { totals },
  });
}
