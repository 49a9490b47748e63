/**
 * The attention weights of each layer for one row: softmax(scale q k^T) per head, recomputed from the packed queries
 * and keys of an evaluation, because the fused operator does not store them. Keys after a causal query have weight 0.
 * Called by the session's attention().
 */
import { at } from '../../base/invariant';
import { type Heads, packedHeads } from '../../graph/ops/attention/heads';
import type { AttentionMap } from '../../protocol/session';
import type { HostArray } from '../../tensor/shape';
import type { Evaluator } from '../evaluator';

const SELF_ATTENTION = 'attention/self-attention';

/** The maps of row 0 in the evaluator's last run, one per layer, in order. */
export function attentionMaps({ graph, value }: Evaluator): readonly AttentionMap[] {
  return graph.nodes
    .filter(({ op }) => op === SELF_ATTENTION)
    .map(({ inputs, attrs, module }) => {
      const { name, type } = at(graph.values, at(inputs, 0));
      const heads = packedHeads(type.shape, attrs);
      return { module, heads: heads.heads, weights: weights(heads, value(name)) };
    });
}

function weights(a: Heads, qkv: HostArray): Float32Array<ArrayBuffer> {
  const result = new Float32Array(a.heads * a.queries * a.keys);
  for (let h = 0; h < a.heads; h++) {
    for (let i = 0; i < a.queries; i++) {
      const row = result.subarray((h * a.queries + i) * a.keys, (h * a.queries + i + 1) * a.keys);
      weigh(a, qkv, h, i, row.subarray(0, a.causal ? i + 1 : a.keys));
    }
  }
  return result;
}

/** Computes the softmax over the keys that a query may attend to. */
function weigh(a: Heads, qkv: HostArray, head: number, query: number, row: Float32Array): void {
  const q = a.q.offset + head * a.q.head + query * a.q.row;
  const k = a.k.offset + head * a.k.head;
  const scores = Array.from(row, (_, j) => {
    let sum = 0;
    for (let e = 0; e < a.headDim; e++) sum += (qkv[q + e] as number) * (qkv[k + j * a.k.row + e] as number);
    return a.scale * sum;
  });
  const largest = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  const powers = scores.map((score) => Math.exp(score - largest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  powers.forEach((power, j) => {
    row[j] = power / total;
  });
}
