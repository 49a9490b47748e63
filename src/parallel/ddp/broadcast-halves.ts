/** Tensors in half precision cross as words of halves. Loaded for models in bfloat16; called by broadcast.ts. */
import { runAttrs, wholeRun } from '../../collectives/copied-runs';
import { halfWords } from '../../graph/ops/precision/half-words';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { HalfFormat } from '../../tensor/half-bits';
import { elements } from '../../tensor/shape';

/** Declares the words of a tensor that is sent or received; returns their name. */
export function declareWords(lane: LaneBuilder, name: string, format: HalfFormat): string {
  const { shape } = lane.spec(name);
  const words = `${name}.sent`;
  const spec = { name: words, shape: halfWords(shape), dtype: 'i32', persistent: false } as const;
  lane.buffer({ ...spec, category: 'communication', halves: { format, shape } });
  return words;
}

export function pack(lane: LaneBuilder, name: string, format: HalfFormat, where: Where): string {
  const words = declareWords(lane, name, format);
  const attrs = runAttrs([wholeRun(elements(lane.spec(name).shape))], format);
  lane.compute('halves/copy', [name], [words], attrs, where);
  return words;
}

export function unpack(lane: LaneBuilder, name: string, words: string, format: HalfFormat, where: Where): void {
  lane.compute('precision/unpack', [words], [name], { format, shape: lane.spec(name).shape }, where);
}
