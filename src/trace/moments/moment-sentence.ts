/**
 * One plain sentence for a moment: who does what together, in PyTorch's words, with layers and buckets marked
 * (marked.ts). Without a full stop. It is the title of the stage and is spoken by the live region, so it must make
 * sense alone; a second text with the reason is in moment-why.ts. `npm run sentences` lists them all. Pure.
 */

import { at } from '../../base/invariant';
import { plural } from '../../base/plural';
import { stepWords } from '../../protocol/micro-batches';
import type { Clock, StepTrace, TraceEvent } from '../../protocol/trace';
import { castOf } from '../buffer-words';
import { capital } from '../capital';
import { groupSize } from '../group-size';
import { averageSentence } from '../pipeline/average-words';
import { sendSentence, turnSentence } from '../pipeline/turn-sentence';
import { cutsLayers } from '../tensor-parts';
import { hasRanks, kernelWords } from '../words';
import { dividesAtFirst, divisorWords } from './divided';
import { kindOf } from './group-keys';
import { hookWork } from './hook-moment-sentence';
import { bucketMark, layerMark } from './marks';
import type { Moment } from './moment';
import { momentAt } from './moment';
import { momentsOf } from './moments';
import { overlapOf } from './overlap';
import { isConversion, precisionSentence } from './precision-sentence';
import { messageSentence, roundSentence } from './round-sentence';
import { shardedSentence } from './sharded-sentence';
import { tensorSentence } from './tensor-sentence';
import { does, isDataParallel, isModelParallel, their, type Who, whoIn } from './who';

/** The sentence at a cursor. */
export function sentenceAt(trace: StepTrace, event: number, clock: Clock): string {
  const moment = momentAt(momentsOf(trace), event);
  if (moment) return momentSentence(trace, moment, clock);
  // Counted from 1, as everywhere on the page.
  const words = stepWords(trace.microBatch, trace, (step) => String(step + 1));
  return capital(`${words} is ${event < 0 ? 'about to begin' : 'done'}`);
}

export function momentSentence(trace: StepTrace, moment: Moment, clock: Clock): string {
  const said = (() => {
    if (moment.average) return averageSentence(trace, moment, moment.average);
    if (moment.turn) return moment.kind === 'message' ? sendSentence(trace, moment) : turnSentence(trace, moment);
    switch (moment.kind) {
      case 'round':
        return roundSentence(trace, moment);
      case 'message':
        return messageSentence(trace, moment);
      case 'load':
        return loadSentence(trace, moment, whoIn(trace, moment));
      default:
        return workSentence(trace, moment, clock);
    }
  })();
  // PyTorch's functions and devices stay in lower case.
  return /^(cuda:|find_unused_parameters|scale_grads|[\w.]+\(\w*\))/.test(said)
    ? said
    : said.charAt(0).toUpperCase() + said.slice(1);
}

/** The event that characterises the moment. */
const mainOf = (trace: StepTrace, { events, kind }: Moment): TraceEvent => {
  const own = events.map((index) => at(trace.events, index));
  const all = own.filter((e) => e.kind !== 'load' && e.name !== 'scaler/skip-step');
  const operators = all.filter((e) => !isConversion(e) && (kind === 'copy' || kindOf(e) !== 'copy'));
  const work = operators.length > 0 ? operators : all;
  // Batch norm computes statistics first: the last operator names the layer.
  if (work[0]?.phase === 'forward') return work.at(-1) ?? work[0];
  // SyncBatchNorm splits its sums before it uses them.
  return work.find(({ name }) => name !== 'shape/slice') ?? work[0] ?? at(own, 0);
};

function loadSentence(trace: StepTrace, moment: Moment, who: Who): string {
  const own = moment.events.map((index) => at(trace.events, index));
  const e = at(own, 0);
  const bucket = own.find(({ writes }) => /^(stage\d+\.)?bucket\d+\.q$/.test(writes[0] ?? ''))?.bucket;
  if (bucket !== undefined)
    return `PowerSGD: ${who.text} ${does(who, 'draw')} the same random Q for ${bucketMark(bucket)}`;
  const writes = new Set(own.flatMap((event) => event.writes));
  if (writes.has('batch')) {
    const count = trace.samples.reduce((n, ids) => n + ids.length, 0);
    return `${who.text} ${does(who, 'load')} the whole batch of ${plural(count, 'sample')} from the DataLoader`;
  }
  if (writes.size === 1 && writes.has('y'))
    return `${who.text} ${does(who, 'load')} the targets of ${who.many ? 'their samples' : 'the batch'}`;
  const counts = new Set(own.map(({ device }) => trace.samples[device]?.length ?? 0));
  const count = trace.samples[e.device]?.length ?? 0;
  if (cutsLayers(trace) && who.many) {
    const same = new Set(own.map(({ device }) => trace.samples[device]?.join())).size === 1;
    return same
      ? `${who.text} load the same ${plural(count, 'sample')} from the DataLoader`
      : `${who.text} load ${plural(count, 'sample')} each; ranks of one tensor group load the same ones`;
  }
  if (!who.many) return `${who.text} loads a batch of ${plural(count, 'sample')} from the DataLoader`;
  const from = hasRanks(trace) ? 'their own DataLoaders' : 'the DataLoader';
  return `${who.text} load ${counts.size === 1 ? `${plural(count, 'sample')} each` : 'their samples'} from ${from}`;
}

function workSentence(trace: StepTrace, moment: Moment, clock: Clock): string {
  const who = whoIn(trace, moment);
  const e = mainOf(trace, moment);
  if (e.anchor === 'scale_grads')
    return `scale_grads: ${who.text} ${does(who, 'divide')} ${their(who)} gradients by the number of micro-batches`;
  const own =
    precisionSentence(trace, e, who) ??
    shardedSentence(trace, e, who) ??
    hookWork(trace, moment, e, who) ??
    tensorSentence(trace, e, who);
  if (own !== undefined) return own;
  if (moment.kind === 'copy') return copySentence(trace, moment, e, who);
  if (e.name.startsWith('optim/')) return optimizerSentence(trace, moment, e, who);
  switch (e.phase) {
    case 'forward':
      return `forward: ${who.text} ${forwardWords(trace, e, who)}`;
    case 'loss':
      return `${who.text} ${does(who, 'compute')} the loss${lossOf(trace, who)} (${kernelWords(e.name)})`;
    case 'backward':
      return `${backwardWords(trace, moment, e, who)}${meanwhile(trace, moment, clock)}`;
    default:
      return `${e.phase}: ${who.text} ${does(who, 'run')} ${kernelWords(e.name)}`;
  }
}

function forwardWords(trace: StepTrace, e: TraceEvent, who: Who): string {
  if (e.module === '' && e.reads.some((name) => castOf(name).endsWith('.weight')))
    return `${does(who, 'add')} the embedding of each token’s position`;
  if (e.module === '') return `${does(who, 'add')} the input that bypassed the layers (residual sum)`;
  const what = `${does(who, 'run')} ${layerMark(e.module)} (${operatorWords(e)})`;
  if (!who.many) return what;
  return `${what} on their own ${isDataParallel(trace) ? 'chunk of the batch' : 'samples'}`;
}

function lossOf(trace: StepTrace, who: Who): string {
  // The ranks of a tensor group have the same samples.
  if (cutsLayers(trace)) return '';
  if (isDataParallel(trace)) return ' of the whole batch';
  return who.all && !who.many ? '' : isModelParallel(trace) ? '' : ` of ${their(who)} own samples`;
}

function operatorWords(e: TraceEvent): string {
  if (e.name.startsWith('ops/add')) return 'residual sum';
  // The kernel only multiplies.
  if (e.reads.some((name) => name.endsWith('.mask'))) return 'Dropout';
  const half = e.reads.some((name) => name.endsWith('.bf16'))
    ? ' in bfloat16'
    : e.reads.some((name) => name.endsWith('.f16'))
      ? ' in float16'
      : '';
  return `${kernelWords(e.name)}${half}`;
}

function backwardWords(trace: StepTrace, { events }: Moment, e: TraceEvent, who: Who): string {
  if (e.module === '' && /^(loss|fused)\//.test(e.name))
    return `backward begins: ${who.text} ${does(who, 'compute')} the gradient of the loss with respect to the output`;
  if (e.module === '')
    return `backward: ${who.text} ${does(who, 'pass')} the gradient back through the ${e.name.startsWith('ops/add') ? 'sum' : operatorWords(e)}`;
  const layer = layerMark(e.module);
  const own = events.map((index) => at(trace.events, index));
  // Activation checkpointing: a layer is computed again.
  if (own.every(({ writes }) => writes.some((name) => /\.again(\.\d+)?$/.test(name))))
    return `backward: ${who.text} ${does(who, 'run')} ${layer} again, because its output was not kept`;
  const made = own.some(({ writes }) => writes.some((name) => /\.(weight|bias)\.grad(\.micro)?$/.test(name)));
  if (made) return `backward: ${who.text} ${does(who, 'compute')} the gradient of ${layer}`;
  return `backward: ${who.text} ${does(who, 'pass')} the gradient back through ${layer}${/-grad-input$/.test(e.name) ? '' : ` (${operatorWords(e)})`}`;
}

/** Computation during an all-reduce: DDP's overlap. */
function meanwhile(trace: StepTrace, moment: Moment, clock: Clock): string {
  const bucket = overlapOf(trace, moment, clock)?.bucket;
  return bucket === undefined ? '' : `, while ${bucketMark(bucket)} is being all-reduced`;
}

function copySentence(trace: StepTrace, moment: Moment, e: TraceEvent, who: Who): string {
  const bucket = bucketMark(moment.bucket);
  switch (e.name) {
    case 'ddp/pack':
      return packSentence(trace, e, who, bucket);
    case 'ddp/unpack':
      return `${who.text} ${does(who, 'copy')} the ${groupSize(trace, e) > 1 ? 'mean ' : ''}gradients from ${bucket} back into .grad`;
    case 'comm/flatten':
      return `${labelOf(e)}: ${who.text} ${does(who, 'put')} ${their(who)} ${flatWords(e.reads.length, e)} into one flat tensor`;
    case 'comm/unflatten':
      return `${labelOf(e)}: ${who.text} ${does(who, 'take')} the ${flatWords(e.writes.length, e)} from the flat tensor`;
    default:
      return ownPart(e, who);
  }
}

const labelOf = (e: TraceEvent): string => (e.phase === 'reduce' ? 'backward' : e.phase);

/** '8 gradients' for flat.gradients.0. */
function flatWords(count: number, e: TraceEvent): string {
  const flat = (e.name === 'comm/flatten' ? e.writes : e.reads)[0] ?? '';
  return plural(count, /^flat\.(\w+)s\./.exec(flat)?.[1] ?? 'tensor');
}

/** The part that a device need not send to itself. */
function ownPart({ phase, module }: TraceEvent, who: Who): string {
  if (phase === 'scatter') return `scatter: ${who.text} ${does(who, 'keep')} the first chunk of the batch`;
  if (phase === 'step')
    return `clip_grad_norm_(): ${who.text} ${does(who, 'put')} ${their(who)} own norm next to the norms of the others`;
  if (module !== '')
    return `SyncBatchNorm: ${who.text} ${does(who, 'put')} ${their(who)} own ${phase === 'forward' ? 'statistics' : 'sums'} next to those of the other ranks`;
  if (phase === 'gather')
    return `gather: ${who.text} ${does(who, 'put')} ${their(who)} own outputs next to those of the other devices`;
  return `backward: ${who.text} ${does(who, 'keep')} the gradient of ${their(who)} own outputs`;
}

function packSentence(trace: StepTrace, e: TraceEvent, who: Who, bucket: string): string {
  const only = e.reads.length === 1;
  const ready = only
    ? `the only gradient of ${bucket} is ready`
    : `${e.reads.length === 2 ? 'the two' : `all ${e.reads.length}`} gradients of ${bucket} are ready`;
  const them = only ? 'it' : 'them';
  const copy = `${does(who, 'copy')} ${them} into the bucket`;
  if (!dividesAtFirst(trace, e)) return `${ready}: ${who.text} ${copy}`;
  return `${ready}: ${who.text} ${does(who, 'divide')} ${them}${divisorWords(trace, e)} and ${copy}`;
}

function optimizerSentence(trace: StepTrace, moment: Moment, e: TraceEvent, who: Who): string {
  // Gradients in half precision are clipped one after the other.
  const alike = moment.events.map((index) => at(trace.events, index)).filter((o) => o.name === e.name);
  const clipped = alike.reduce((n, { device, writes }) => (device === e.device ? n + writes.length : n), 0);
  const gradients = `${their(who)} ${plural(clipped, 'gradient')}`;
  switch (e.name) {
    case 'optim/accumulate-grad':
      return `backward: ${who.text} ${does(who, 'add')} the new gradients to the gradients of earlier micro-batches in .grad`;
    case 'optim/grad-norm':
    case 'optim/clip-grad-norm':
      return clipSentence(trace, moment, e, who);
    case 'optim/clip-grad-value':
      return `clip_grad_value_(): ${who.text} ${does(who, 'limit')} every element of ${gradients} to [−clip_value, clip_value]`;
    default:
      return `optimizer.step(): ${who.text} ${does(who, 'update')} ${isDataParallel(trace) || !who.many ? 'the' : 'their'} weights`;
  }
}

function clipSentence(trace: StepTrace, { events }: Moment, e: TraceEvent, who: Who): string {
  const begin = `clip_grad_norm_(): ${who.text}`;
  const scales = events.some((index) => at(trace.events, index).name === 'optim/clip-grad-norm');
  if (scales) return `${begin} ${does(who, 'scale')} ${their(who)} gradients down if their norm is above max_norm`;
  if (e.reads.includes('grad_norms')) return `${begin} ${does(who, 'join')} the norms of all devices into one`;
  return `${begin} ${does(who, 'compute')} the norm of ${their(who)} gradients`;
}
