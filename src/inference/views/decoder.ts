/**
 * The interface of decoding token by token: the model's logits after some tokens. window-decoder.ts evaluates the whole
 * context for each token, cached-decoder.ts only new tokens. Both give the same bits.
 */
import { at } from '../../base/invariant';
import type { Graph } from '../../graph/graph';
import type { ValueId } from '../../graph/op';
import type { ModelState } from '../evaluator';

export interface Decoder {
  /** The most tokens that the decoder reads. */
  readonly context: number;
  /** The number of tokens that the model has both as input and as output: ids from 0 up to this, exclusive. */
  readonly vocabulary: number;
  /** The rough cost of a further token. */
  readonly tokenNs: number;
  /** The logits of the token after `tokens` (1 to `context` tokens); valid until the next call. */
  after(state: ModelState, tokens: ArrayLike<number>): Float32Array;
}

/** The number of tokens that a model with logits `output` can both read and predict. */
export function vocabularyOf({ nodes, values }: Graph, output: ValueId): number {
  const tables = nodes.filter(({ op, inputs }) => op === 'embedding/embedding' && isInput(values, inputs[0]));
  const known = tables.map(({ inputs }) => at(values, at(inputs, 1)).type.shape[0] ?? 0);
  return Math.min(at(values, output).type.shape.at(-1) ?? 0, ...known);
}

const isInput = (values: Graph['values'], id: ValueId | undefined): boolean =>
  id !== undefined && values[id]?.role === 'input';
