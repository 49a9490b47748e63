/**
 * What a message carries, as a learner calls it and never by the name of a buffer of ours. Pure; called by idle.ts,
 * transfer-sentence.ts and the timeline's labels.
 */
import type { TraceEvent } from '../protocol/trace';
import { moduleWords, plural } from './words';

const STATISTICS = /\.(?:running_mean|running_var|num_batches_tracked)$/;

/** 'the gradient 2.out.grad', 'the total norm of the gradients', 'the statistics of layer 1'. */
export function carriedWords(e: TraceEvent): string {
  const buffer = e.slice?.buffer ?? '';
  const norms = normWords(buffer);
  if (norms) return norms;
  if (ofSyncBatchNorm(e))
    return `SyncBatchNorm's ${e.phase === 'forward' ? 'statistics' : 'sums'} of ${moduleWords(e.module)}`;
  if (STATISTICS.test(buffer)) return `the running statistics (${buffer})`;
  if (e.action) {
    const what = e.payload === 'gradient' ? 'gradient' : 'activations';
    return `the ${what} ${plainName(buffer)} of micro-batch ${e.action.microBatch}`;
  }
  const [, name, age] = /^(.*)@(\d+)$/.exec(buffer) ?? [];
  if (name !== undefined) return `the parameter ${name} of ${plural(Number(age), 'update')} ago`;
  return `the ${e.payload ?? 'data'} ${buffer}`.trimEnd();
}

/** Without the number of a later micro-batch of the same Program: '3.out' for '3.out@2'. */
export const plainName = (buffer: string): string => buffer.replace(/@\d+$/, '');

/** What clip_grad_norm_() sends where parameters live on several devices. */
export function normWords(buffer: string): string | undefined {
  if (buffer === 'grad_norm') return 'the total norm of the gradients';
  return buffer.startsWith('grad_norm') ? "the norm of one device's gradients" : undefined;
}

export const ofSyncBatchNorm = ({ collective, bucket, module }: TraceEvent): boolean =>
  bucket === undefined && module !== '' && (collective?.op === 'allGather' || collective?.op === 'allReduce');
