/**
 * The attention operators under test: cases of random inputs, formulas in double precision, and how each torch operator
 * of fixtures/ops.json is said here.
 */
import type { Attrs } from '../../op';
import { type Maker, reals } from '../case-tools';
import { direct, type Recipe } from '../recipe';
import { arg, el, type Formula, logSumExp, range } from '../reference-tools';

/** Two heads, or two batch rows of them where they are short; lengths and head dimension from the sizes. */
const attention =
  (causal: boolean, lengths: (a: number, b: number) => readonly [number, number]): Maker =>
  ([a, b, d], random) => {
    const [queries, keys] = lengths(a, b);
    const batch = a < 4 ? 2 : 1;
    return {
      op: 'attention/attention',
      attrs: { scale: 1 / Math.sqrt(d), causal },
      inputs: [
        reals([batch, 2, queries, d], random),
        reals([batch, 2, keys, d], random),
        reals([batch, 2, keys, d], random),
      ],
    };
  };

const selfAttention =
  (causal: boolean, heads: number): Maker =>
  ([a, , d], random) => ({
    op: 'attention/self-attention',
    attrs: { heads, scale: 1 / Math.sqrt(d), causal },
    inputs: [reals([a < 4 ? 2 : 1, a, 3 * heads * d], random)],
  });

export const ATTENTION_CASES: Readonly<Record<string, Maker>> = {
  attention: attention(false, (a) => [a, a]),
  'attention, causal': attention(true, (a) => [a, a]),
  'attention of other lengths': attention(false, (a, b) => [a, b]),
  'attention of other lengths, causal': attention(true, (a, b) => [b, a]),
  'self-attention': selfAttention(false, 1),
  'self-attention, causal': selfAttention(true, 2),
};

interface Lengths {
  readonly queries: number;
  readonly keys: number;
  readonly headDim: number;
}
type Reader = (t: number, e: number) => number;

/**
 * out[i][e] = sum over the keys j that i reaches of softmax(scores)[j] v[j, e]. In loops, because the differences
 * evaluate it thousands of times.
 */
function attend({ queries, keys, headDim }: Lengths, q: Reader, k: Reader, v: Reader, attrs: Attrs): number[][] {
  return range(queries).map((i) => {
    const scores: number[] = [];
    for (let j = 0; j < keys && (attrs.causal !== true || j <= i); j++) {
      let s = 0;
      for (let e = 0; e < headDim; e++) s += q(i, e) * k(j, e);
      scores.push(s * Number(attrs.scale));
    }
    const all = logSumExp(scores);
    const out: number[] = new Array(headDim).fill(0);
    scores.forEach((s, j) => {
      const weight = Math.exp(s - all);
      for (let e = 0; e < headDim; e++) out[e] = el(out, e) + weight * v(j, e);
    });
    return out;
  });
}

export const ATTENTION_REFERENCE: Readonly<Record<string, Formula>> = {
  'attention/attention'(inputs, attrs) {
    const [q, k, v] = [arg(inputs, 0), arg(inputs, 1), arg(inputs, 2)];
    const [queries = 1, headDim = 1] = q.shape.slice(-2);
    const keys = k.shape.at(-2) ?? 1;
    return range(q.data.length / (queries * headDim)).flatMap((bh) => {
      const read = (t: { readonly data: readonly number[] }, length: number) => (i: number, e: number) =>
        el(t.data, (bh * length + i) * headDim + e);
      return attend({ queries, keys, headDim }, read(q, queries), read(k, keys), read(v, keys), attrs).flat();
    });
  },
  'attention/self-attention'(inputs, attrs) {
    const qkv = arg(inputs, 0);
    const [batch = 1, length = 1, packed = 3] = qkv.shape;
    const heads = Number(attrs.heads);
    const width = packed / 3;
    const headDim = width / heads;
    return range(batch).flatMap((b) => {
      const perHead = range(heads).map((h) => {
        const third = (i: number) => (t: number, e: number) =>
          el(qkv.data, (b * length + t) * packed + i * width + h * headDim + e);
        return attend({ queries: length, keys: length, headDim }, third(0), third(1), third(2), attrs);
      });
      return range(length).flatMap((t) => perHead.flatMap((out) => out[t] ?? []));
    });
  },
};

export const ATTENTION_RECIPES: Readonly<Record<string, Recipe>> = {
  attention: direct('attention/attention', ({ attrs }) => ({
    scale: Number(attrs.scale),
    causal: attrs.causal === true,
  })),
};
