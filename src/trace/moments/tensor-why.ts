/**
 * Explains the work of ranks that share layers. One or two full sentences; undefined: the moment's sentence is enough.
 * Called by moment-why.ts for traces with parts of tensors.
 */
import { at } from '../../base/invariant';
import { lookup } from '../../base/lookup';
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { partsIn } from '../tensor-parts';
import type { Moment } from './moment';
import { copyFor } from './tensor-sentence';

export function tensorWhy(trace: StepTrace, { kind, phase, events }: Moment, e: TraceEvent): string | undefined {
  if (kind === 'load')
    return events.some((event) => at(trace.events, event).phase === 'data')
      ? 'Ranks of one tensor group compute parts of the same layers, so they need the same samples.'
      : undefined;
  if (e.name.startsWith('loss/parallel-')) return lookup(LOSS, e.name);
  if (phase !== 'forward') return undefined;
  const partOf = partsIn(trace);
  if (e.name === 'ops/copy')
    return copyFor(e, partOf) === 'input'
      ? 'Nothing is sent here. In the backward pass each rank computes an addend of the gradient of this input, and an all-reduce adds the addends.'
      : undefined;
  if (e.name === 'ops/add' && e.reads.some((name) => name.endsWith('.bias')))
    return 'If every rank added the bias to its addend, the sum would contain the bias once per rank.';
  const dimOf = (ending: string) => {
    const buffer = e.reads.find((name) => name.replace(/\.b?f16$/, '').endsWith(ending));
    return buffer === undefined ? undefined : partOf(e.device, buffer)?.dim;
  };
  if (e.name.startsWith('attention/') && dimOf('.out') !== undefined)
    return 'Heads do not depend on each other, so each rank needs only the queries, keys and values of its own heads.';
  const dim = dimOf('weight');
  if (dim === undefined || e.name.startsWith('norm/')) return undefined;
  if (e.name.startsWith('embedding/'))
    return dim === 0
      ? 'Exactly one rank has the row of a token, and the other ranks add zeros: the sum over the ranks is the row.'
      : undefined;
  return dim === 0
    ? 'One output feature does not depend on another, so each rank computes its own features without a message.'
    : 'Each rank has only some of the input features. Every output is a sum over all input features, so each rank computes an addend.';
}

const LOSS: Readonly<Record<string, string>> = {
  'loss/parallel-max':
    'The exponential of a large logit overflows, so every rank subtracts the same number: the largest logit of all ranks.',
  'loss/parallel-sums': 'The logits are never gathered: one number per row is enough to complete the softmax.',
  'loss/parallel-loss':
    'Every rank computes the same loss. In the backward pass each rank needs only the gradient of its own logits, so nothing is sent.',
};
