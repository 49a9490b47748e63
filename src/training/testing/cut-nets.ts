/** Random nets of whole layers and column/row pairs, with the plan that cuts the pairs, for property tests. */
import fc from 'fast-check';
import type { LayerInput } from '../../protocol/config';
import type { StyleName } from '../../protocol/config/tensor';

/** Features of a row. */
export const IN = 3;

export interface Block {
  readonly kind: 'pair' | 'whole';
  /** Of a pair: every one of three ranks gets a part. */
  readonly hidden: number;
  readonly out: number;
  readonly bias: boolean;
  readonly activation: 'Tanh' | 'GELU' | 'Sigmoid';
  /** Dropout behind the activation. */
  readonly drops: boolean;
}

export const block: fc.Arbitrary<Block> = fc.record({
  kind: fc.constantFrom('pair', 'pair', 'whole'),
  hidden: fc.constantFrom(5, 6, 7, 8, 9),
  out: fc.integer({ min: 1, max: 5 }),
  bias: fc.boolean(),
  activation: fc.constantFrom('Tanh', 'GELU', 'Sigmoid'),
  drops: fc.boolean(),
});

export interface Net {
  readonly layers: LayerInput[];
  readonly plan: Record<string, StyleName>;
  /** Layers of each block. */
  readonly sizes: number[];
}

/**
 * `ranks`: of a tensor group. A pair with dropout has equal parts: ranks with unequal parts draw different amounts of
 * numbers, so their later masks of whole activations differ, as in torch.
 */
export function netOf(blocks: readonly Block[], ranks: number): Net {
  const net: Net = { layers: [], plan: {}, sizes: [] };
  let width = IN;
  for (const { kind, hidden: least, out, bias, activation, drops } of blocks) {
    const hidden = drops ? Math.ceil(least / ranks) * ranks : least;
    const [start, pair] = [net.layers.length, kind === 'pair'];
    if (pair) net.plan[start] = 'ColwiseParallel';
    net.layers.push({ type: 'Linear', in: width, out: pair ? hidden : out, bias }, { type: activation });
    if (drops) net.layers.push({ type: 'Dropout', p: 0.25 });
    if (pair) {
      net.plan[net.layers.length] = 'RowwiseParallel';
      net.layers.push({ type: 'Linear', in: hidden, out, bias });
    }
    net.sizes.push(net.layers.length - start);
    width = out;
  }
  return net;
}
