/**
 * The sentence of a moment in which ranks of a tensor group compute parts of one layer: it names the part that each
 * rank computes, and the sum that the result is an addend of. undefined: the moment is about whole tensors, and another
 * file of this folder makes its sentence. Called by moment-sentence.ts.
 */
import { at } from '../../base/invariant';
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { bufferWords } from '../buffer-words';
import { ofSyncBatchNorm } from '../carried';
import { cutsLayers, type PartOf, partsIn, shareWords } from '../tensor-parts';
import { kernelWords } from '../words';
import { layerMark } from './marks';
import { does, type Who } from './who';

export function tensorSentence(trace: StepTrace, e: TraceEvent, who: Who): string | undefined {
  if (!cutsLayers(trace) || e.phase === 'step') return undefined;
  const each = eachOf(who);
  const partOf = partsIn(trace);
  const said = movedWords(e, each) ?? lossWords(trace, e, each, partOf);
  if (said !== undefined) return e.phase === 'loss' ? said : `${e.phase}: ${said}`;
  if (e.name === 'ops/copy') return copied(e, each, partOf);
  return e.phase === 'forward' && e.module !== '' ? `forward: ${computed(e, who, partOf)}` : undefined;
}

/** The subject: each of several ranks does the same with its own part. */
const eachOf = (who: Who): string => (!who.many ? who.text : who.all ? 'every rank' : `each of ${who.text}`);

function computed(e: TraceEvent, who: Who, partOf: PartOf): string {
  const each = eachOf(who);
  const layer = `${layerMark(e.module)} (${e.name === 'ops/add' ? 'residual sum' : kernelWords(e.name)})`;
  const share = (buffer: string | undefined) => {
    const cut = buffer === undefined ? undefined : partOf(e.device, buffer);
    return cut?.dim === undefined ? undefined : { dim: cut.dim, words: shareWords(cut) };
  };
  const weight = share(e.reads.find((name) => WEIGHT.test(name)));
  const isLookup = e.name.startsWith('embedding/');
  if (weight && isLookup)
    return weight.dim === 0
      ? `${each} looks up the tokens of its ${weight.words} of the vocabulary in ${layer}; other tokens give zeros`
      : `${each} looks up its ${weight.words} of the columns of ${layer}`;
  if (weight && e.name.startsWith('conv/'))
    return weight.dim === 0
      ? `${each} computes its ${weight.words} of the output channels of ${layer}`
      : `${each} computes ${layer} of its ${weight.words} of the input channels, an addend of the output`;
  if (weight && /^(ops|fused)\/linear/.test(e.name))
    return weight.dim === 0
      ? `${each} multiplies by its ${weight.words} of the columns of ${layer}`
      : `${each} multiplies by its ${weight.words} of the rows of ${layer}, which gives an addend of the output`;
  if (e.name === 'ops/add' && e.reads.some((name) => name.endsWith('.bias')))
    return `${who.text} ${does(who, 'add')} the bias of ${layerMark(e.module)} to the finished sum, once`;
  const result = share(e.writes[0]);
  if (result && e.name.startsWith('attention/')) return `${each} computes its ${result.words} of the heads of ${layer}`;
  if (!result) return `${who.text} ${does(who, 'run')} ${layer}${who.many ? ', each on the whole tensor' : ''}`;
  const rank = partOf(e.device, e.writes[0] ?? '')?.part.shape.length ?? 0;
  const what = result.dim === rank - 1 ? 'features' : rank === 4 ? 'channels' : result.dim === 1 ? 'positions' : 'rows';
  return `${each} runs ${layer} on its ${result.words} of the ${what}`;
}

/** A weight, or autocast's cast of one. */
const WEIGHT = /weight(\.b?f16)?$/;

/** Sentences of copies around a collective over pieces. */
function movedWords(e: TraceEvent, each: string): string | undefined {
  if (!e.name.startsWith('partition/')) return undefined;
  const [read, written] = [bufferWords(e.reads[0] ?? ''), bufferWords(e.writes[0] ?? '')];
  switch (e.name) {
    case 'partition/pad':
      return `${each} pads the ${read} with zeros, as long as the longest piece`;
    case 'partition/trim':
      return `${each} drops the padding of the ${written}`;
    case 'partition/join':
      return `${each} joins the pieces of all ranks to the ${written}`;
    case 'partition/blocks':
      return `${each} cuts the ${read} into one piece for each rank`;
    case 'partition/place':
      return `${each} puts its piece of ${read} in its place, with zeros around it`;
    case 'partition/own':
      return `${each} takes its own piece of the ${read}`;
    default:
      return `the bias ${read} counts on the first rank only; the others add zeros`;
  }
}

function lossWords(trace: StepTrace, e: TraceEvent, each: string, partOf: PartOf): string | undefined {
  if (!e.name.startsWith('loss/parallel-')) return undefined;
  const logits = partOf(e.device, e.reads[0] ?? '');
  const own = `its ${logits ? shareWords(logits) : 'part'} of the classes`;
  switch (e.name) {
    case 'loss/parallel-max':
      return `${each} finds the largest logit of each row among ${own} (CrossEntropyLoss)`;
    case 'loss/parallel-sums':
      return `${each} adds up exp(logit − max) over ${own} (CrossEntropyLoss)`;
    default:
      return `${each} computes the loss of ${at(trace.samples, e.device).length > 1 ? 'all samples' : 'the sample'} from the sums (CrossEntropyLoss)`;
  }
}

/** Why a rank of a tensor group copies a tensor. */
type CopyFor = 'ofSum' | 'toSum' | 'toGather' | 'ofWhole' | 'input' | 'toReduce';

const OF_COLLECTIVE = /\.scratch\d/;
/** The tensor whose halves a buffer holds, or the buffer itself; without the micro-batch. */
const tensorOf = (buffer: string): string => buffer.replace(/@\d+$/, '').replace(/\.sent$/, '');

export function copyFor({ device, reads, writes }: TraceEvent, partOf: PartOf): CopyFor {
  const [read, written] = [tensorOf(reads[0] ?? ''), tensorOf(writes[0] ?? '')];
  if (OF_COLLECTIVE.test(read)) return 'ofSum';
  if (OF_COLLECTIVE.test(written)) return 'toSum';
  const part = partOf(device, read);
  if (part?.dim !== undefined || /\.(piece|padded)$/.test(read)) return 'toGather';
  if (/\.(piece|padded)(\.grad)?$/.test(written) || /\.blocks(\.grad)?$/.test(read)) return 'ofWhole';
  return /\.for\./.test(written) && !part ? 'input' : 'toReduce';
}

/** The copy at the start or end of a collective inside the graph. */
function copied(e: TraceEvent, each: string, partOf: PartOf): string | undefined {
  const [read = '', written = ''] = [e.reads[0], e.writes[0]];
  if (ofSyncBatchNorm({ ...e, slice: { buffer: written } })) return undefined;
  const begin = e.phase === 'loss' ? '' : `${e.phase}: `;
  const said = bufferWords(read.replace(/\.sent(?=$|@)/, ''));
  const whole = said.replace(/^(gradient of the )?(padded )?pieces? of the /, '$1');
  switch (copyFor(e, partOf)) {
    case 'ofSum':
      return `${begin}${each} takes its part of the sum`;
    case 'toSum':
      return `${begin}${each} copies the ${whole} to where it is summed`;
    case 'toGather':
      return `${begin}${each} puts its piece of the ${whole} in its place among those of all ranks`;
    case 'ofWhole':
      return `${begin}${each} takes its own piece of the ${whole}`;
    case 'input':
      return `${begin}${each} uses the ${said} as the input of its part of ${layerMark(e.module)}`;
    default: {
      const addend = partOf(e.device, tensorOf(read))?.part.addend;
      const what = addend === undefined || /^(addend|sum|logit)/.test(said) ? said : `addend of the ${said}`;
      return `${begin}${each} copies its ${what} into the buffer of the all-reduce`;
    }
  }
}
