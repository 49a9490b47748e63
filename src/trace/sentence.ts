/**
 * One plain sentence for an event, in PyTorch's words: who does what to which tensor, and what overlaps with it on the
 * chosen clock. Without a full stop. Shown on the stage and spoken by the live region, so it must make sense alone.
 * Pure; transfers are in transfer-sentence.ts. (DDP copies each gradient into its bucket when that gradient's hook
 * fires; the Program does it in one instruction when the last gradient is ready, so the sentence describes the result.)
 */
import { plural } from '../base/plural';
import { stepWords } from '../protocol/micro-batches';
import type { Clock, StepTrace, TraceEvent } from '../protocol/trace';
import { ALGORITHMS } from '../protocol/words/algorithms';
import { capital } from './capital';
import { hookSentence } from './hook-event-sentence';
import { endUs, spanOf } from './lanes';
import { dividesAtFirst, divisorWords } from './moments/divided';
import { plainText } from './moments/marked';
import { precisionSentence } from './moments/precision-sentence';
import { shardedSentence } from './moments/sharded-sentence';
import { tensorSentence } from './moments/tensor-sentence';
import { transferSentence } from './transfer-sentence';
import { deviceName, hasRanks, kernelWords, layerWords, moduleWords } from './words';

export function sentenceOf(trace: StepTrace, index: number, clock: Clock): string {
  const e = trace.events[index];
  // Counted from 1, as everywhere on the page.
  const number = (step: number) => String(step + 1);
  if (!e) return capital(`${stepWords(trace.microBatch, trace, number)} is ${index < 0 ? 'about to begin' : 'done'}`);
  const what = e.kind === 'send' || e.kind === 'recv' ? transferSentence(trace, e) : workSentence(trace, e);
  return capital(`${what}${microBatchWords(e)}${meanwhile(trace, index, clock)}`);
}

/**
 * In a pipeline several micro-batches are in flight, so a sentence names its micro-batch; a message's words already do.
 */
const microBatchWords = ({ action, kind }: TraceEvent): string =>
  action && kind !== 'send' && kind !== 'recv' ? `, micro-batch ${action.microBatch}` : '';

function workSentence(trace: StepTrace, e: TraceEvent): string {
  const who = deviceName(trace, e.device);
  if (e.anchor === 'scale_grads') return `scale_grads: ${who} divides a gradient by the number of micro-batches`;
  const one = { text: who, many: false, all: false };
  const own =
    hookSentence(trace, e, who) ??
    precisionSentence(trace, e, one) ??
    shardedSentence(trace, e, one) ??
    tensorSentence(trace, e, one);
  // The marks around layers and buckets are for the titles of moments.
  if (own !== undefined) return plainText(own);
  if (e.kind === 'load') return loadSentence(trace, e, who);
  if (e.name === 'ops/copy') return copySentence(e, who);
  if (e.name === 'comm/flatten') return flattenSentence(e, who);
  if (e.name === 'comm/unflatten') return unflattenSentence(e, who);
  if (e.name === 'ddp/pack') return packSentence(trace, e, who);
  if (e.name.startsWith('optim/')) return optimizerSentence(e, who);
  if (e.name === 'ddp/unpack') return `${who} copies the mean gradients from bucket ${e.bucket} back into .grad`;
  switch (e.phase) {
    case 'forward':
      return `forward: ${who} computes ${layerWords(e)}`;
    case 'loss':
      return `${who} computes the loss (${kernelWords(e.name)})`;
    case 'backward':
      return `backward: ${who} ${backwardWords(e)}`;
    default:
      return `${e.phase}: ${who} runs ${e.name}`;
  }
}

function optimizerSentence(e: TraceEvent, who: string): string {
  switch (e.name) {
    case 'optim/accumulate-grad':
      return `backward: ${who} adds ${plural(e.writes.length, 'gradient')} to the gradients of earlier micro-batches in .grad`;
    case 'optim/grad-norm':
      if (e.reads.includes('grad_norms')) return `clip_grad_norm_(): ${who} joins the norms of all devices into one`;
      return `clip_grad_norm_(): ${who} computes the norm of its ${plural(e.reads.length, 'gradient')}`;
    case 'optim/clip-grad-norm':
      return `clip_grad_norm_(): ${who} multiplies its ${plural(e.writes.length, 'gradient')} by min(1, max_norm / (total norm + 1e-6))`;
    case 'optim/clip-grad-value':
      return `clip_grad_value_(): ${who} limits every element of its ${plural(e.writes.length, 'gradient')} to [-clip_value, clip_value]`;
    default:
      return `optimizer.step(): ${who} updates ${parametersWords(e)}`;
  }
}

function loadSentence(trace: StepTrace, e: TraceEvent, who: string): string {
  if (e.phase === 'step') return `optimizer.step(): ${who} reads the learning rate`;
  if (e.writes.includes('y')) return `${who} loads the targets of the batch`;
  // If one process draws a batch for several devices, it is loaded whole.
  const whole = e.writes.includes('batch');
  const count = whole ? trace.samples.reduce((n, ids) => n + ids.length, 0) : (trace.samples[e.device]?.length ?? 0);
  return `${who} loads ${whole ? 'the whole batch' : 'a batch'} of ${plural(count, 'sample')} from ${hasRanks(trace) ? 'its' : 'the'} DataLoader`;
}

function copySentence(e: TraceEvent, who: string): string {
  if (e.phase === 'scatter') return `scatter: ${who} keeps the first chunk of the batch`;
  if (e.phase === 'step') return `clip_grad_norm_(): ${who} puts its own norm next to the norms of the others`;
  if (e.phase === 'gather') return `gather: ${who} puts its own outputs next to those of the other devices`;
  return `backward: ${who} keeps the gradient of its own outputs`;
}

function flattenSentence(e: TraceEvent, who: string): string {
  const what = `${plural(e.reads.length, nounOf(e))} into one flat tensor`;
  return `${e.phase === 'reduce' ? 'backward' : e.phase}: ${who} copies its ${what}`;
}

function unflattenSentence(e: TraceEvent, who: string): string {
  if (e.phase === 'reduce')
    return `backward: ${who} has the sums of ${plural(e.writes.length, 'gradient')} as views of the flat tensor`;
  return `${e.phase}: ${who} has its ${plural(e.writes.length, nounOf(e))} as views of the flat tensor`;
}

/** 'gradient' for flat.gradients.0. */
function nounOf(e: TraceEvent): string {
  const flat = (e.name === 'comm/flatten' ? e.writes : e.reads)[0] ?? '';
  return /^flat\.(\w+)s\./.exec(flat)?.[1] ?? 'tensor';
}

function packSentence(trace: StepTrace, e: TraceEvent, who: string): string {
  const [all, are, them] =
    e.reads.length === 1 ? ['the only gradient', 'is', 'it'] : [`all ${e.reads.length} gradients`, 'are', 'them'];
  const divided = dividesAtFirst(trace, e) ? `divides ${them}${divisorWords(trace, e)} and ` : '';
  return `${all} of bucket ${e.bucket} ${are} ready: ${who} ${divided}copies ${them} into the bucket`;
}

function backwardWords(e: TraceEvent): string {
  if (e.module === '' && /^(loss|fused)\//.test(e.name)) return `begins with the gradient of ${kernelWords(e.name)}`;
  // Checkpointing: the layer is computed again.
  if (isAgain(e)) return `computes ${layerWords(e)} again, because its output was not kept`;
  const made = e.writes.filter((name) => name === `${e.module}.weight.grad` || name === `${e.module}.bias.grad`);
  if (made.length === 0) return `passes the gradient back through ${layerWords(e)}`;
  const parts = made.map((name) => name.split('.').at(-2) ?? name);
  return `computes the ${parts.join(' and ')} ${made.length > 1 ? 'gradients' : 'gradient'} of ${layerWords(e)}`;
}

/** Whether it is the copy of a forward operator that activation checkpointing added to backward. */
const isAgain = (e: TraceEvent): boolean => e.writes.some((name) => /\.again(\.\d+)?$/.test(name));

/** Written buffers with a gradient are parameters; the others are the optimiser's state. */
function parametersWords(e: TraceEvent): string {
  const count = e.writes.filter((name) => e.reads.includes(`${name}.grad`)).length;
  return `its ${plural(count, 'parameter')}`;
}

/** Computation during a bucket's all-reduce, or the other way round, on the same device: DDP's overlap. */
function meanwhile(trace: StepTrace, index: number, clock: Clock): string {
  const e = trace.events[index];
  if (!e || !(e.queue === 'comm' ? e.collective?.op === 'allReduce' : e.phase === 'backward')) return '';
  const span = spanOf(trace, clock, index);
  const beside = trace.events.find((other, k) => {
    if (other.device !== e.device || other.queue === e.queue) return false;
    if (e.queue === 'compute' ? other.collective?.op !== 'allReduce' : other.phase !== 'backward' || !other.module)
      return false;
    const theirs = spanOf(trace, clock, k);
    return theirs.startUs < endUs(span) && span.startUs < endUs(theirs);
  });
  if (!beside) return '';
  if (e.queue === 'comm') return `, while ${moduleWords(beside.module)} still computes its gradient`;
  const algorithm = beside.collective?.algorithm ?? 'direct';
  const how = algorithm === 'direct' ? 'on the way' : ALGORITHMS[algorithm].way;
  const bucket = beside.collective?.bucket ?? beside.bucket;
  return bucket === undefined ? '' : `, while bucket ${bucket} is being summed ${how}`;
}
