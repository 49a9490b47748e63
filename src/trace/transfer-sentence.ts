/**
 * Sentences of sends and receives: the collective and mode they are part of, their contents, and the number of ranks in
 * the sum. Pure; called by sentence.ts.
 */
import { plural } from '../base/plural';
import { groupLabel } from '../protocol/mesh';
import type { CollectiveRef, StepTrace, TraceEvent } from '../protocol/trace';
import { bufferWords, sentWords } from './buffer-words';
import { carriedWords, normWords } from './carried';
import { groupSize } from './group-size';
import { hookTransferSentence } from './hook-event-sentence';
import { unitMark } from './moments/sharded-sentence';
import { summedAt } from './sums';
import { cutsLayers, gathersUnits } from './tensor-parts';
import { deviceName, pieceWords } from './words';

export function transferSentence(trace: StepTrace, e: TraceEvent): string {
  const { collective } = e;
  const sends = e.kind === 'send';
  const who = deviceName(trace, e.device);
  const other = deviceName(trace, e.peer ?? e.device);
  const buffer = e.slice?.buffer ?? '';
  const moves = (what: string) =>
    sends ? `${who} sends ${what} to ${other}` : `${who} receives ${what} from ${other}`;
  const own = hookTransferSentence(trace, e, who, other);
  if (own !== undefined) return own;
  if (buffer === 'scaler.found_inf') return `scaler.unscale_(): ${moves(carriedWords(e))}`;
  switch (collective?.op) {
    case 'allReduce':
      return allReduceSentence(trace, e, collective, who, other);
    case 'broadcast':
      return `${e.phase}: ${moves(pieceWords(trace, buffer) ?? bufferWords(buffer))}`;
    case 'scatter': {
      const receiver = sends ? (e.peer ?? 0) : e.device;
      if (e.payload === 'gradient')
        return `backward: ${moves(`the gradient of the outputs of ${deviceName(trace, receiver)}`)}`;
      return `scatter: ${moves(plural(trace.samples[receiver]?.length ?? 0, 'sample'))}`;
    }
    case 'gather':
      return `gather: ${sends ? moves('its outputs') : `${who} receives the outputs of ${other}`}`;
    case 'reduce': {
      const replicas = new Set(trace.events.map((event) => event.device)).size;
      const what = pieceWords(trace, buffer) ?? bufferWords(buffer);
      if (sends) return `backward: ${moves(what)}`;
      return `backward: ${who} adds ${what} from ${other}: now the sum of ${collective.summed ?? '?'} of ${replicas} replicas`;
    }
    case 'reduceScatter': {
      const unit = unitMark(e.module).replace(/[«»]/g, '');
      if (sends) return `backward: ${moves(`a part of the gradients of ${unit}`)}`;
      return `backward: ${who} adds a part of the gradients of ${unit} from ${other}: now the sum of ${collective.summed ?? '?'} of ${groupSize(trace, e)} ranks`;
    }
    default:
      if (gathersUnits(trace) && collective?.op === 'allGather' && e.phase === 'gather')
        return `${e.anchor}: ${moves(`one rank’s shards of ${unitMark(e.module).replace(/[«»]/g, '')}`)}`;
      if (normWords(buffer)) return `clip_grad_norm_(): ${moves(carriedWords(e))}`;
      return `${e.phase}: ${moves(carriedWords(e))}`;
  }
}

function allReduceSentence(trace: StepTrace, e: TraceEvent, c: CollectiveRef, who: string, other: string): string {
  const ranks = groupSize(trace, e);
  const words = reducedIn(trace, e);
  const { bucket } = words;
  const part = c.algorithm !== 'naive' && (c.chunks ?? 1) > 1 ? `chunk ${c.chunk ?? 0} of ${bucket}` : bucket;
  const summed = c.summed ?? ranks;
  if (c.part === 'reduce-scatter') {
    if (e.kind === 'recv') return `${who} adds ${part} from ${other}: now the sum of ${summed} of ${ranks} ranks`;
    if (c.algorithm === 'naive') return `${who} sends all of ${part} to ${other}`;
    const before = c.algorithm === 'ring' ? summed - 1 : summedBefore(trace, e);
    const holds = before === 1 ? words.own : `the sum of ${before} of ${ranks} ranks`;
    return `${who} sends ${part} ${direction(c, 'up')}to ${other}: ${holds}`;
  }
  if (e.kind === 'send')
    return `${who} sends ${part} ${direction(c, 'down')}to ${other}: ${words.result} over all ${ranks} ranks`;
  return `${who} takes ${part} from ${other}: ${words.result}, the same on every rank${c.group ? ` of ${groupLabel(c.group)}` : ''}`;
}

/** Words for a rank's input and for the final result: gradients, or a tensor inside a layer that is cut. */
function reducedIn(trace: StepTrace, e: TraceEvent) {
  const { collective, slice, bucket = collective?.bucket } = e;
  if (!cutsLayers(trace) || bucket !== undefined || e.phase === 'step')
    return { bucket: `bucket ${bucket ?? 0}`, own: 'its own gradients', result: 'the mean gradient' };
  const what = `the ${sentWords(slice?.buffer ?? '')}`;
  const [own, result] =
    collective?.reduceOp === 'max' ? ['its own values', 'the largest'] : ['its own addend', 'the sum'];
  return { bucket: what, own, result };
}

/** The direction in a tree. */
const direction = ({ algorithm }: CollectiveRef, way: 'up' | 'down'): string =>
  algorithm === 'tree' || algorithm === 'doubleTree' ? `${way} the tree ` : '';

/**
 * The number of ranks whose sum a sender holds, from its last receive into that stretch. (In a ring every hop adds
 * one.)
 */
function summedBefore(trace: StepTrace, e: TraceEvent): number {
  const { slice } = e;
  const index = trace.events.indexOf(e);
  return slice ? Math.max(1, summedAt(trace, index - 1, e.device, slice)) : 1;
}
