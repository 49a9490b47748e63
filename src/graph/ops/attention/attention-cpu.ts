/**
 * Attention on the CPU, forward and backward, one query after the other: memory for one row of scores. Sums run in double precision, except that dk and dv
 * gather in place. Used by both attention operators.
 */
import type { HostArray } from '../../../tensor/shape';
import type { Heads, Place } from './heads';

const startOf = (p: Place, b: number, h: number): number => p.offset + b * p.batch + h * p.head;

function eachHead(a: Heads, visit: (b: number, h: number, statistics: number) => void): void {
  for (let b = 0; b < a.batch; b++) for (let h = 0; h < a.heads; h++) visit(b, h, (b * a.heads + h) * a.queries);
}

/** Keys that a query reaches. */
const reachOf = (a: Heads, query: number): number => (a.causal ? Math.min(query + 1, a.keys) : a.keys);

function dot(x: HostArray, i: number, y: HostArray, j: number, n: number): number {
  let sum = 0;
  for (let e = 0; e < n; e++) sum += (x[i + e] as number) * (y[j + e] as number);
  return sum;
}

export function attend(a: Heads, q: HostArray, k: HostArray, v: HostArray, out: HostArray, lse: HostArray): void {
  const { headDim } = a;
  const scores = new Float64Array(a.keys);
  const row = new Float64Array(headDim);
  eachHead(a, (b, h, statistics) => {
    const [qs, ks, vs, os] = [startOf(a.q, b, h), startOf(a.k, b, h), startOf(a.v, b, h), startOf(a.out, b, h)];
    for (let i = 0; i < a.queries; i++) {
      const reach = reachOf(a, i);
      let max = Number.NEGATIVE_INFINITY;
      for (let j = 0; j < reach; j++) {
        const s = a.scale * dot(q, qs + i * a.q.row, k, ks + j * a.k.row, headDim);
        scores[j] = s;
        if (s > max) max = s;
      }
      let sum = 0;
      row.fill(0);
      for (let j = 0; j < reach; j++) {
        const p = Math.exp((scores[j] as number) - max);
        sum += p;
        const value = vs + j * a.v.row;
        for (let e = 0; e < headDim; e++) row[e] = (row[e] as number) + p * (v[value + e] as number);
      }
      const o = os + i * a.out.row;
      for (let e = 0; e < headDim; e++) out[o + e] = (row[e] as number) / sum;
      lse[statistics + i] = max + Math.log(sum);
    }
  });
}

export interface AttentionTensors {
  readonly q: HostArray;
  readonly k: HostArray;
  readonly v: HostArray;
  readonly out: HostArray;
  readonly lse: HostArray;
  readonly dout: HostArray;
}

/** dq, dk and dv may be one packed array; delta gets the row sums of dout out. */
export function attendBackward(
  a: Heads,
  { q, k, v, out, lse, dout }: AttentionTensors,
  { dq, dk, dv, delta }: Readonly<Record<'dq' | 'dk' | 'dv' | 'delta', HostArray>>,
): void {
  const { headDim } = a;
  const row = new Float64Array(headDim);
  dk.fill(0);
  dv.fill(0);
  eachHead(a, (b, h, statistics) => {
    const [qs, ks, vs, os] = [startOf(a.q, b, h), startOf(a.k, b, h), startOf(a.v, b, h), startOf(a.out, b, h)];
    for (let i = 0; i < a.queries; i++) {
      const [query, o] = [qs + i * a.q.row, os + i * a.out.row];
      const d = dot(dout, o, out, o, headDim);
      delta[statistics + i] = d;
      const total = lse[statistics + i] as number;
      const reach = reachOf(a, i);
      row.fill(0);
      for (let j = 0; j < reach; j++) {
        const [key, value] = [ks + j * a.k.row, vs + j * a.v.row];
        const p = Math.exp(a.scale * dot(q, query, k, key, headDim) - total);
        const ds = p * (dot(dout, o, v, value, headDim) - d) * a.scale;
        for (let e = 0; e < headDim; e++) {
          row[e] = (row[e] as number) + ds * (k[key + e] as number);
          dk[key + e] = (dk[key + e] as number) + ds * (q[query + e] as number);
          dv[value + e] = (dv[value + e] as number) + p * (dout[o + e] as number);
        }
      }
      for (let e = 0; e < headDim; e++) dq[query + e] = row[e] as number;
    }
  });
}
