/** Why communication hooks, SyncBatchNorm, join() and clipping do what they do. Called by moment-why.ts. */
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import type { Moment } from './moment';

export function hookWhy(_: StepTrace, { kind, round }: Moment, e: TraceEvent): string | undefined {
  if (e.name.startsWith('power-sgd/')) return powerWhy(e.name);
  switch (e.name) {
    case 'halves/encode':
      return `The hook ${e.writes.some((name) => name.endsWith('.bf16')) ? 'bf16' : 'fp16'}_compress_hook halves the bytes to send; the price is that every gradient is rounded.`;
    case 'norm/sync-batch-norm-stats':
      return 'SyncBatchNorm normalises with the statistics of the whole batch, which is spread over the ranks.';
    case 'optim/grad-norm':
      return e.reads.includes('grad_norms')
        ? undefined
        : 'Too large a gradient is scaled down, so that one bad batch does not throw the weights off.';
    default:
  }
  if (e.name === 'ops/copy' && e.writes.some((name) => name.endsWith('.uncompressed')))
    return 'Biases, and matrices too small to gain by it, are sent as they are.';
  if (e.anchor === 'pull' && e.name === 'ops/copy')
    return 'Staleness: the worker computes with weights that others have updated since.';
  if (e.anchor === 'average' && kind !== 'round')
    return 'Local SGD: the ranks step by themselves and average their weights only now and then.';
  if (e.anchor === 'join' && round?.index === 0)
    return 'The ranks have different numbers of batches: one that has run out still takes part in every collective, with zeros.';
  return undefined;
}

function powerWhy(name: string): string | undefined {
  switch (name) {
    case 'power-sgd/error-in':
      return 'Error feedback: what is left out in one step is added in the next.';
    case 'power-sgd/product':
      return 'Two thin matrices P and Q travel instead of the gradient: P Qᵀ is close to it.';
    default:
      return undefined;
  }
}
