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
        : 'A gradient that is too large is scaled down, so that one bad batch cannot wreck the weights.';
    default:
  }
  if (e.name === 'ops/copy' && e.writes.some((name) => name.endsWith('.uncompressed')))
    return 'Biases, and matrices too small to benefit from compression, are sent uncompressed.';
  if (e.anchor === 'pull' && e.name === 'ops/copy')
    return 'Staleness: this worker computes with old weights. Other workers have updated the server’s weights since.';
  if (e.anchor === 'average' && kind !== 'round')
    return 'Local SGD: every rank updates its weights alone, and the ranks average their weights only every few steps.';
  if (e.anchor === 'join' && round?.index === 0)
    return 'The ranks have different numbers of batches. A rank without a batch still takes part in every collective and contributes zeros.';
  return undefined;
}

function powerWhy(name: string): string | undefined {
  switch (name) {
    case 'power-sgd/error-in':
      return 'Error feedback: what compression loses in one step is added to the gradient of the next step.';
    case 'power-sgd/product':
      return 'PowerSGD sends two thin matrices, P and Q, instead of the gradient. P Qᵀ approximates the gradient.';
    default:
      return undefined;
  }
}
