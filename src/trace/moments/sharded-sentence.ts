/**
 * The sentences of ranks that keep shards: which unit they gather, free, reduce and scatter. undefined: another file of
 * this folder makes the moment's sentence. Called by moment-sentence.ts, round-sentence.ts and sentence.ts.
 */
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { gathersUnits } from '../tensor-parts';
import { layerMark } from './marks';
import type { Who } from './who';

/** A unit of fully_shard, marked. The root has the parameters of no other unit. */
export const unitMark = (module: string): string => (module === '' ? 'the root' : layerMark(module));

export function shardedSentence(trace: StepTrace, e: TraceEvent, who: Who): string | undefined {
  const unit = unitMark(e.module);
  const each = !who.many ? who.text : who.all ? 'every rank' : `each of ${who.text}`;
  switch (e.name) {
    case 'fsdp/all-gather-copy-in':
      return `${e.anchor}: ${each} copies its shards of ${unit} into the buffer of the all-gather`;
    case 'fsdp/split-with-sizes-copy':
      return `${e.anchor}: ${who.text} now ${who.many ? 'have' : 'has'} all of ${unit}`;
    case 'fsdp/post-forward-shard':
      return `forward: ${each} keeps its part of ${unit}, so that only a few ranks need to gather it again`;
    case 'fsdp/chunk-cat':
      return `backward: ${each} cuts the gradient of ${unit} into one part for each rank`;
    case 'fsdp/sharded-grad':
      return `backward: ${each} keeps the mean gradient of its shards of ${unit} in .grad`;
    case 'fsdp/accumulate-sharded-grad':
      return `backward: ${each} adds the mean gradient of its shards of ${unit} to .grad, the sum of earlier micro-batches`;
    default:
  }
  if (ofZeroOne(trace) && isUpdate(e))
    return `optimizer.step(): ${each} updates the parameters whose optimiser states it keeps`;
  if (!gathersUnits(trace)) return undefined;
  if (e.name === 'comm/scale' && e.phase === 'reduce')
    return `backward: ${each} divides its sum for ${unit} by the number of ranks, which gives the mean gradient`;
  if (e.name === 'comm/fill' && (e.phase === 'gather' || e.phase === 'backward'))
    return `${e.anchor}: ${each} pads ${unit} with zeros, so that the parts of all ranks are equally long`;
  if (e.name === 'ops/copy' && (e.phase === 'gather' || e.phase === 'reduce'))
    return e.phase === 'gather'
      ? `${e.anchor}: ${each} puts its own shards of ${unit} in their place among the shards of all ranks`
      : `backward: ${each} copies the gradients of ${unit} to where they are summed`;
  if (isUpdate(e))
    return `optimizer.step(): ${each} updates its own shards, with its own part of the optimiser’s states`;
  return undefined;
}

/**
 * Whether the step uses ZeroRedundancyOptimizer, with which each rank broadcasts the parameters that it has updated.
 */
export const ofZeroOne = ({ events }: StepTrace): boolean =>
  events.some(({ phase, anchor }) => phase === 'broadcast' && anchor === 'step');

const isUpdate = ({ phase, name }: TraceEvent): boolean =>
  phase === 'step' && name.startsWith('optim/') && !/norm|clip/.test(name);
