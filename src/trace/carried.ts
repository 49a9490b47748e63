/**
 * The contents of a message in a learner's words, never by the name of one of our buffers. Pure; called by idle.ts,
 * transfer-sentence.ts and the timeline's labels.
 */
import type { TraceEvent } from '../protocol/trace';
import { isOfTorch, sentWords, tensorName } from './buffer-words';
import { moduleWords } from './words';

const STATISTICS = /\.(?:running_mean|running_var|num_batches_tracked)$/;

/** 'the gradient 2.out.grad', 'the total norm of the gradients', 'the statistics of layer 1'. */
export function carriedWords(e: TraceEvent): string {
  const buffer = e.slice?.buffer ?? '';
  const norms = normWords(buffer);
  if (norms) return norms;
  if (ofSyncBatchNorm(e))
    return `SyncBatchNorm's ${e.phase === 'forward' ? 'statistics' : 'sums'} of ${moduleWords(e.module)}`;
  if (STATISTICS.test(buffer)) return `the running statistics (${buffer})`;
  if (buffer === '') return `the ${e.payload ?? 'data'}`;
  if (e.action) return `the ${tensorName(buffer)} of micro-batch ${e.action.microBatch}`;
  const said = sentWords(buffer);
  // A name of PyTorch's alone does not say what kind of tensor it is.
  return isOfTorch(buffer) ? `the ${e.payload ?? 'data'} ${said}` : `the ${said}`;
}

/** The norms that clip_grad_norm_() sends if parameters are on several devices. */
export function normWords(buffer: string): string | undefined {
  if (buffer === 'grad_norm') return 'the total norm of the gradients';
  return buffer.startsWith('grad_norm') ? "the norm of one device's gradients" : undefined;
}

/** Statistics in the forward pass; in the backward pass sums without their own names. */
const SYNCED = /\.((all_)?stats|sums)$|^(collective|norm)\//;

/** Whether an event belongs to SyncBatchNorm; other collectives of a module belong to its tensor group. */
export const ofSyncBatchNorm = ({ bucket, module, slice }: SyncedEvent): boolean =>
  bucket === undefined && module !== '' && SYNCED.test((slice?.buffer ?? '').replace(/@\d+$/, ''));

type SyncedEvent = Pick<TraceEvent, 'bucket' | 'module'> & { readonly slice?: { readonly buffer: string } };
