/**
 * Sentences of moments with operators of communication hooks, SyncBatchNorm, join() and parameter servers. Their
 * messages are in round-sentence.ts. Pure; called by moment-sentence.ts.
 */
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { groupSize } from '../group-size';
import { bucketMark, layerMark } from './marks';
import type { Moment } from './moment';
import { does, their, type Who } from './who';

/** Undefined: the moment belongs to none of these. */
export function hookWork(trace: StepTrace, { bucket: index }: Moment, e: TraceEvent, who: Who): string | undefined {
  const bucket = bucketMark(index);
  const half = e.writes.concat(e.reads).some((name) => name.endsWith('.f16')) ? 'float16' : 'bfloat16';
  const power = `PowerSGD: ${who.text}`;
  switch (e.name) {
    case 'halves/encode':
      return `${who.text} ${does(who, 'cast')} ${bucket} to ${half} and ${does(who, 'divide')} it by ${groupSize(trace, e)}: half the bytes to send`;
    case 'halves/add':
      return `${who.text} ${does(who, 'add')} the received part of ${bucket} to ${their(who)} own, in ${half}`;
    case 'halves/decode':
      return `${who.text} ${does(who, 'cast')} the mean in ${bucket} back to float32`;
    case 'power-sgd/error-in':
      return `${power} ${does(who, 'add')} to ${bucket} what the last compression left out`;
    case 'power-sgd/error-out':
      return `${power} ${does(who, 'keep')} what this compression of ${bucket} left out, for the next step`;
    case 'power-sgd/orthogonalize':
      return `${power} ${does(who, 'make')} the columns of ${writesTo(e, 'p') ? 'P' : 'Q'} orthonormal`;
    case 'power-sgd/product':
      if (writesTo(e, 'p')) return `${power} ${does(who, 'compute')} P = M Q for the matrices M of ${bucket}`;
      if (writesTo(e, 'q')) return `${power} ${does(who, 'compute')} Q = Mᵀ P for the matrices M of ${bucket}`;
      return `${power} ${does(who, 'put')} P Qᵀ in place of the matrices of ${bucket}`;
    case 'norm/sync-batch-norm-stats':
      return `forward: ${who.text} ${does(who, 'compute')} mean and variance of ${their(who)} own samples in ${layerMark(e.module)}`;
    case 'norm/sync-batch-norm-gather':
      return `forward: ${who.text} ${does(who, 'join')} the statistics of all ranks in ${layerMark(e.module)}`;
    case 'comm/fill':
      return fillSentence(e, who, bucket);
    case 'comm/scale':
      return `${who.text} ${does(who, 'divide')} ${scaledWords(e, bucket)} by ${groupSize(trace, e)}`;
    case 'ops/copy':
      return e.bucket === undefined ? anchored(trace, e, who) : uncompressedSentence(e, who, bucket);
    default:
      return anchored(trace, e, who);
  }
}

const writesTo = (e: TraceEvent, matrix: 'p' | 'q'): boolean => e.writes.some((name) => name.endsWith(`.${matrix}`));

function scaledWords(e: TraceEvent, bucket: string): string {
  if (writesTo(e, 'p') || writesTo(e, 'q')) return "PowerSGD's matrices";
  return isUncompressed(e.writes) ? `the uncompressed part of ${bucket}` : bucket;
}

const isUncompressed = (names: readonly string[]): boolean => names.some((name) => name.endsWith('.uncompressed'));

/** PowerSGD sends biases, and matrices that are too small to benefit, uncompressed. */
function uncompressedSentence(e: TraceEvent, who: Who, bucket: string): string {
  const power = `PowerSGD: ${who.text}`;
  if (isUncompressed(e.writes)) return `${power} ${does(who, 'copy')} the part of ${bucket} that stays uncompressed`;
  if (isUncompressed(e.reads))
    return `${power} ${does(who, 'put')} the mean of the uncompressed part back into ${bucket}`;
  return `${power} ${does(who, 'copy')} the gradients of ${bucket} before they are compressed`;
}

/** Fills with numbers on which the ranks agree, and with the zeros of a rank without a batch. */
function fillSentence(e: TraceEvent, who: Who, bucket: string): string {
  const buffer = e.writes[0] ?? '';
  if (buffer === 'local_used_map')
    return `find_unused_parameters: ${who.text} ${does(who, 'note')} which parameters ${who.many ? 'they have' : 'it has'} used`;
  if (e.bucket !== undefined)
    return `join(): ${who.text} ${who.many ? 'have' : 'has'} no batch left and ${does(who, 'fill')} ${bucket} with zeros`;
  if (buffer.startsWith('num_nonjoined'))
    return `join(): ${who.text} ${does(who, 'say')} whether ${who.many ? 'they have' : 'it has'} a batch left`;
  if (buffer === 'requires_sync') return `join(): ${who.text} ${does(who, 'say')} whether gradients will be reduced`;
  return `join(): ${who.text} ${does(who, 'say')} who can send its buffers to the others`;
}

function anchored(trace: StepTrace, e: TraceEvent, who: Who): string | undefined {
  if (e.anchor === 'average' && e.name === 'ddp/pack')
    return `model averaging: ${who.text} ${does(who, 'copy')} ${their(who)} weights, divided by ${groupSize(trace, e)}, into one buffer`;
  if (e.anchor === 'average' && e.name === 'ddp/unpack')
    return `model averaging: ${who.text} ${does(who, 'replace')} ${their(who)} weights by the mean`;
  if (e.anchor === 'pull' && e.name === 'ops/copy')
    return `pull: ${who.text} ${does(who, 'move')} to the next version of the weights ${who.many ? 'they' : 'it'} pulled earlier`;
  return undefined;
}
