/**
 * Sentences about communication hooks, SyncBatchNorm and parameter servers: their operators and their messages. Without
 * a full stop. Pure; called by sentence.ts and transfer-sentence.ts.
 */
import { plural } from '../base/plural';
import type { StepTrace, TraceEvent } from '../protocol/trace';
import { ofSyncBatchNorm } from './carried';
import { groupSize } from './group-size';
import { moduleWords } from './words';

/** The sentence of an operator; undefined if it belongs to none of these. */
export function hookSentence(trace: StepTrace, e: TraceEvent, who: string): string | undefined {
  const bucket = `bucket ${e.bucket ?? 0}`;
  const half = e.writes.concat(e.reads).some((name) => name.endsWith('.f16')) ? 'float16' : 'bfloat16';
  switch (e.name) {
    case 'halves/encode':
      return `${who} casts ${bucket} to ${half} and divides it by ${groupSize(trace, e)}: half the bytes to send`;
    case 'halves/add':
      if (e.bucket === undefined) return undefined;
      return `${who} adds the received part of ${bucket} to its own in ${half}, rounding after every addition`;
    case 'halves/decode':
      if (e.bucket === undefined) return undefined;
      return `${who} casts the mean in ${bucket} back to float32`;
    case 'power-sgd/error-in':
      return `PowerSGD: ${who} adds to ${bucket} what the last compression left out`;
    case 'power-sgd/error-out':
      return `PowerSGD: ${who} keeps what this compression of ${bucket} left out`;
    case 'power-sgd/orthogonalize':
      return `PowerSGD: ${who} makes the columns of ${e.writes.some((n) => n.endsWith('.p')) ? 'P' : 'Q'} orthonormal`;
    case 'power-sgd/product':
      if (e.writes.some((name) => name.endsWith('.p')))
        return `PowerSGD: ${who} computes P = M Q for a matrix of ${bucket}`;
      if (e.writes.some((name) => name.endsWith('.q')))
        return `PowerSGD: ${who} computes Q = Mᵀ P for a matrix of ${bucket}`;
      return `PowerSGD: ${who} puts P Qᵀ in place of a matrix of ${bucket}`;
    case 'norm/sync-batch-norm-stats':
      return `forward: ${who} computes mean, invstd and count of its own samples in ${moduleWords(e.module)}`;
    case 'norm/sync-batch-norm-gather':
      return `forward: ${who} joins the statistics of all ranks in ${moduleWords(e.module)}`;
    case 'ddp/pack':
      return e.anchor === 'average'
        ? `${who} copies its ${plural(e.reads.length, 'parameter')}, divided by ${groupSize(trace, e)}, into one buffer`
        : undefined;
    case 'ddp/unpack':
      return e.anchor === 'average' ? `${who} replaces its parameters by the mean` : undefined;
    case 'ops/copy':
      return e.anchor === 'pull' ? `${who} moves to the next version of the weights it pulled earlier` : undefined;
    case 'load':
      return /^(stage\d+\.)?bucket\d+\.q$/.test(e.writes[0] ?? '')
        ? `PowerSGD: ${who} draws a random Q for ${bucket}, the same on every rank`
        : undefined;
    default:
      return undefined;
  }
}

/**
 * The number of ranks whose sum a message of an all-reduce carries; `summed` counts the receiver's ranks after adding.
 */
function holding(trace: StepTrace, e: TraceEvent): string {
  const ranks = groupSize(trace, e);
  const { part, algorithm, summed = ranks } = e.collective ?? {};
  if (part !== 'reduce-scatter') return `, summed over all ${plural(ranks, 'rank')}`;
  if (e.kind === 'recv') return `: now the sums of ${summed} of ${plural(ranks, 'rank')}`;
  if (algorithm !== 'ring' && algorithm !== 'naive') return '';
  const before = algorithm === 'ring' ? summed - 1 : 1;
  return before === 1 ? ': its own sums' : `: the sums of ${before} of ${plural(ranks, 'rank')}`;
}

/** The sentence of a message; undefined if it belongs to none of these. */
export function hookTransferSentence(trace: StepTrace, e: TraceEvent, who: string, other: string): string | undefined {
  const sends = e.kind === 'send';
  const moves = (what: string) =>
    sends ? `${who} sends ${what} to ${other}` : `${who} receives ${what} from ${other}`;
  const buffer = e.slice?.buffer ?? '';
  const own = buffer.replace(/@\d+$/, '');
  if (e.anchor === 'pull') {
    const when = own === buffer ? '' : ', for a later turn';
    return sends ? `pull: ${moves(own)}${when}` : `pull: ${moves(own)}${when}`;
  }
  if (e.anchor === 'push') return `push: ${moves(own)}${e.apply === 'add' ? ' and adds it to the sum so far' : ''}`;
  if (e.anchor === 'average') return `model averaging: ${moves('a part of the parameters')}`;
  const { collective } = e;
  if (!ofSyncBatchNorm(e)) return undefined;
  if (collective?.op === 'allGather' && e.phase === 'forward')
    return `SyncBatchNorm: ${moves(`mean, invstd and count of ${moduleWords(e.module)}`)}`;
  if (collective?.op === 'allReduce' && e.phase === 'backward')
    return `SyncBatchNorm: ${moves(`sum_dy and sum_dy_xmu of ${moduleWords(e.module)}`)}${holding(trace, e)}`;
  return undefined;
}
