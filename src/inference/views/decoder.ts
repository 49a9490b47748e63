/**
 * The seam of decoding token by token: what a model says after some tokens. window-decoder.ts evaluates the whole
 * context for each token; cached-decoder.ts only what is new. Both give the same bits.
 */
import { at } from '../../base/invariant';
import type { Graph } from '../../graph/graph';
import type { ValueId } from '../../graph/op';
import type { ModelState } from '../evaluator';

export interface Decoder {
  /** Most tokens that it looks at. */
  readonly context: number;
  /** Tokens that the model knows both as an input and as an answer: the ids 0 to this. */
  readonly vocabulary: number;
  /** Rough cost of a further token. */
  readonly tokenNs: number;
  /** Logits of what follows the last of `tokens` (1 to `context` of them); valid until the next call. */
  after(state: ModelState, tokens: ArrayLike<number>): Float32Array;
}

/** How many tokens a model of logits `output` can be given and asked for. */
export function vocabularyOf({ nodes, values }: Graph, output: ValueId): number {
  const tables = nodes.filter(({ op, inputs }) => op === 'embedding/embedding' && isInput(values, inputs[0]));
  const known = tables.map(({ inputs }) => at(values, at(inputs, 1)).type.shape[0] ?? 0);
  return Math.min(at(values, output).type.shape.at(-1) ?? 0, ...known);
}

const isInput = (values: Graph['values'], id: ValueId | undefined): boolean =>
  id !== undefined && values[id]?.role === 'input';
