/**
 * The dispatches of both attention operators: one in forward; in backward the row sums delta, then dq, dk and dv with
 * one kernel in three launches.
 */
import { grid } from '../../launch';
import type { DenseLaunch, Operand } from '../../op';
import { type ElementPlace, type Heads, placeParams } from './heads';

/** Rows of scores that one invocation takes. */
const BLOCK = 4;
const blocksOf = (a: Heads, rows: number): number => a.batch * a.heads * Math.ceil(rows / BLOCK);

export function forwardLaunch(
  a: Heads,
  o: Readonly<Record<'q' | 'k' | 'v' | 'out' | 'lse', Operand>>,
): readonly DenseLaunch[] {
  const blocks = blocksOf(a, a.queries);
  const places = [a.q, a.k, a.v, a.out].flatMap(placeParams);
  return [
    {
      kind: 'dense',
      kernel: 'attention/attention',
      bindings: [o.q, o.k, o.v, o.out, o.lse],
      params: [blocks, a.queries, a.keys, a.headDim, a.heads, a.causal ? 1 : 0, { f32: a.scale }, ...places],
      workgroups: grid(blocks),
    },
  ];
}

export type BackwardOperands = Readonly<
  Record<'q' | 'k' | 'v' | 'out' | 'lse' | 'dout' | 'dq' | 'dk' | 'dv' | 'delta', Operand>
>;

export function backwardLaunches(a: Heads, o: BackwardOperands): readonly DenseLaunch[] {
  const q = { at: o.q, place: a.q };
  const k = { at: o.k, place: a.k };
  const v = { at: o.v, place: a.v };
  const dout = { at: o.dout, place: a.out };
  const rows = a.batch * a.heads * a.queries;
  const { batch, head, row } = a.out;
  return [
    {
      kind: 'dense',
      kernel: 'attention/delta',
      bindings: [o.dout, o.out, o.delta],
      params: [rows, a.queries, a.headDim, a.heads, batch, head, row],
      workgroups: grid(rows),
    },
    gradientLaunch(a, o, 0, [q, k, dout, v, k], { at: o.dq, place: a.q }),
    gradientLaunch(a, o, 1, [k, q, v, dout, q], { at: o.dk, place: a.k }),
    gradientLaunch(a, o, 2, [k, q, v, dout, dout], { at: o.dv, place: a.v }),
  ];
}

interface Placed {
  readonly at: Operand;
  readonly place: ElementPlace;
}

/**
 * `sources`: row_a, col_a, row_b, col_b and y of kernel attention/attention-grad. Mode 0 has the queries as rows, 1 and
 * 2 the keys.
 */
function gradientLaunch(
  a: Heads,
  o: BackwardOperands,
  mode: number,
  sources: readonly Placed[],
  result: Placed,
): DenseLaunch {
  const [rows, columns] = mode === 0 ? [a.queries, a.keys] : [a.keys, a.queries];
  const blocks = blocksOf(a, rows);
  const places = [...sources, result].flatMap(({ place }) => placeParams(place));
  return {
    kind: 'dense',
    kernel: 'attention/attention-grad',
    bindings: [...sources.map((source) => source.at), o.lse, o.delta, result.at],
    params: [blocks, rows, columns, a.headDim, a.heads, a.causal ? 1 : 0, mode, { f32: a.scale }, ...places],
    workgroups: grid(blocks),
  };
}
