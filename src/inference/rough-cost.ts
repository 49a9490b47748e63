/**
 * Estimates the time of the CPU kernels for the forward nodes of a graph, in nanoseconds on an ordinary machine.
 * Evaluations use it to choose their number of rows and the length of texts. Unlike a measured time it is the same
 * everywhere, so that a snapshot's content does not depend on the machine. Never shown.
 */
import { at, must } from '../base/invariant';
import type { Graph } from '../graph/graph';
import type { OpTable } from '../graph/op';
import { elements, type Shape } from '../tensor/shape';

/** Products of fewer rows run in plain loops (graph/gemm.ts). */
const BLOCKED_FROM_ROWS = 4;
const BLOCKED = new Set(['ops/linear', 'ops/matmul']);
const FLOPS_PER_NS = { blocked: 5, plain: 1 };
const NS_PER_ELEMENT = 5;

const rowsOf = (shape: Shape): number => elements(shape) / (shape.at(-1) ?? 1);

export function roughCostNs({ nodes, values }: Graph, ops: OpTable): number {
  let ns = 0;
  for (const { op, inputs, outputs, attrs, phase } of nodes) {
    if (phase !== 'forward') continue;
    const types = {
      inputs: inputs.map((id) => at(values, id).type),
      outputs: outputs.map((id) => at(values, id).type),
      attrs,
    };
    const { shape } = at(types.outputs, 0);
    const blocked = BLOCKED.has(op) && rowsOf(shape) >= BLOCKED_FROM_ROWS;
    ns += must(ops.get(op), op).flops(types) / FLOPS_PER_NS[blocked ? 'blocked' : 'plain'];
    ns += NS_PER_ELEMENT * elements(shape);
  }
  return ns;
}
