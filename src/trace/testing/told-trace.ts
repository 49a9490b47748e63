/** Traces for tests of sentences: four ranks at work, and the messages of an all-reduce. */
import type { CollectiveRef, StepTrace } from '../../protocol/trace';
import { sentenceOf } from '../sentence';
import type { EventSketch } from './make-trace';

/** The sentence at each event. */
export const said = (trace: StepTrace) => trace.events.map((_, index) => sentenceOf(trace, index, 'modelled'));

export const hop = (part: CollectiveRef['part'], summed: number, more: Partial<CollectiveRef> = {}): CollectiveRef => ({
  seq: 0,
  op: 'allReduce',
  algorithm: 'ring',
  bucket: 1,
  chunk: 3,
  chunks: 4,
  ...(part ? { part } : {}),
  summed,
  ...more,
});
/** Four ranks that compute beside each other, so that there are ranks to speak of. */
export const ranks: readonly EventSketch[] = [0, 1, 2, 3].map((rank) => ({
  id: rank,
  rank,
  device: rank,
  us: [0, 10] as const,
}));
