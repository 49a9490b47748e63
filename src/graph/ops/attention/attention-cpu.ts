/**
 * Attention on the CPU, forward and backward, one query after the other: memory for one row of scores. All sums run in
 * float32, each product and each sum rounded, as in PyTorch; assembly/attention.ts computes the same bits. Used by both
 * attention operators.
 */

import type { HostArray } from '../../../tensor/shape';
import { expOfNegative } from '../../float-functions';
import type { ElementPlace, Heads } from './heads';

const startOf = (p: ElementPlace, b: number, h: number): number => p.offset + b * p.batch + h * p.head;

function eachHead(a: Heads, visit: (b: number, h: number, statistics: number) => void): void {
  for (let b = 0; b < a.batch; b++) for (let h = 0; h < a.heads; h++) visit(b, h, (b * a.heads + h) * a.queries);
}

/** Keys that a query reaches. */
const reachOf = (a: Heads, query: number): number => (a.causal ? Math.min(query + 1, a.keys) : a.keys);

const f = Math.fround;

function dot(x: HostArray, i: number, y: HostArray, j: number, n: number): number {
  let sum = 0;
  for (let e = 0; e < n; e++) sum = f(sum + f((x[i + e] as number) * (y[j + e] as number)));
  return sum;
}

/** Where a query and its head's keys begin, and how many keys it reaches. */
interface Query {
  readonly query: number;
  readonly keys: number;
  readonly reach: number;
}

/**
 * Fills `weights` with e^(score - largest) of a query's keys; returns the largest score and the sum of the weights.
 * Every fourth weight belongs to the same partial sum, so that a vector can hold the four partial sums.
 */
function weigh(
  a: Heads,
  { q, k }: Pick<AttentionTensors, 'q' | 'k'>,
  { query, keys, reach }: Query,
  weights: Float32Array,
) {
  const scale = f(a.scale);
  let largest = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < reach; j++) {
    const s = f(scale * dot(q, query, k, keys + j * a.k.row, a.headDim));
    weights[j] = s;
    if (s > largest) largest = s;
  }
  const sums: [number, number, number, number] = [0, 0, 0, 0];
  for (let j = 0; j < reach; j++) {
    const w = expOfNegative(f((weights[j] as number) - largest));
    weights[j] = w;
    sums[j % 4] = f((sums[j % 4] as number) + w);
  }
  return { largest, sum: f(f(sums[0] + sums[1]) + f(sums[2] + sums[3])) };
}

export function attend(a: Heads, tensors: Omit<AttentionTensors, 'dout'> & { readonly lse: HostArray }): void {
  const { v, out, lse } = tensors;
  const { headDim } = a;
  const weights = new Float32Array(a.keys);
  const row = new Float32Array(headDim);
  eachHead(a, (b, h, statistics) => {
    const [qs, ks, vs, os] = [startOf(a.q, b, h), startOf(a.k, b, h), startOf(a.v, b, h), startOf(a.out, b, h)];
    for (let i = 0; i < a.queries; i++) {
      const reach = reachOf(a, i);
      const { largest, sum } = weigh(a, tensors, { query: qs + i * a.q.row, keys: ks, reach }, weights);
      row.fill(0);
      for (let j = 0; j < reach; j++) {
        const p = weights[j] as number;
        const value = vs + j * a.v.row;
        for (let e = 0; e < headDim; e++) row[e] = (row[e] as number) + f(p * (v[value + e] as number));
      }
      const o = os + i * a.out.row;
      for (let e = 0; e < headDim; e++) out[o + e] = (row[e] as number) / sum;
      lse[statistics + i] = largest + Math.log(sum);
    }
  });
}

export interface AttentionTensors {
  readonly q: HostArray;
  readonly k: HostArray;
  readonly v: HostArray;
  readonly out: HostArray;
  readonly dout: HostArray;
}

/**
 * dq, dk and dv may be one packed array; delta gets the row sums of dout out. The weights are normalised again, because
 * the float32 lse is not exact enough.
 */
export function attendBackward(
  a: Heads,
  { q, k, v, out, dout }: AttentionTensors,
  { dq, dk, dv, delta }: Readonly<Record<'dq' | 'dk' | 'dv' | 'delta', HostArray>>,
): void {
  const { headDim } = a;
  const scale = f(a.scale);
  const weights = new Float32Array(a.keys);
  const row = new Float32Array(headDim);
  dk.fill(0);
  dv.fill(0);
  eachHead(a, (b, h, statistics) => {
    const [qs, ks, vs, os] = [startOf(a.q, b, h), startOf(a.k, b, h), startOf(a.v, b, h), startOf(a.out, b, h)];
    for (let i = 0; i < a.queries; i++) {
      const [query, o] = [qs + i * a.q.row, os + i * a.out.row];
      const d = dot(dout, o, out, o, headDim);
      delta[statistics + i] = d;
      const reach = reachOf(a, i);
      const { sum } = weigh(a, { q, k }, { query, keys: ks, reach }, weights);
      row.fill(0);
      for (let j = 0; j < reach; j++) {
        const [key, value] = [ks + j * a.k.row, vs + j * a.v.row];
        const p = f((weights[j] as number) / sum);
        const ds = f(f(p * f(dot(dout, o, v, value, headDim) - d)) * scale);
        for (let e = 0; e < headDim; e++) {
          row[e] = (row[e] as number) + f(ds * (k[key + e] as number));
          dk[key + e] = (dk[key + e] as number) + f(ds * (q[query + e] as number));
          dv[value + e] = (dv[value + e] as number) + f(p * (dout[o + e] as number));
        }
      }
      for (let e = 0; e < headDim; e++) dq[query + e] = row[e] as number;
    }
  });
}
