/**
 * Runs the graphs of all ranks node by node, side by side, with the operators' CPU kernels; a collective is worked out
 * from what all ranks bring to it. The plainest executor that partitioned graphs can have: nothing of the collectives
 * that ship. For tests.
 */
import { at, must } from '../../../base/invariant';
import { allocate, elements, type HostArray } from '../../../tensor/shape';
import { CpuScratch } from '../../cpu-scratch';
import type { Graph, GraphNode } from '../../graph';
import type { OpTable, ValueId } from '../../op';
import { ALL_GATHER, ALL_REDUCE, CHUNK, IDENTITY, isCollective, REDUCE_SCATTER } from '../../ops/collective';

export type RankValues = Map<ValueId, HostArray>;

/** `given`: of each rank what no node makes. Fills in everything else. */
export function runSideBySide(graphs: readonly Graph[], ops: OpTable, given: readonly RankValues[]): void {
  const scratch = new CpuScratch();
  const nodes = at(graphs, 0).nodes;
  nodes.forEach((first, k) => {
    if (isCollective(first)) {
      const inputs = graphs.map((graph, r) =>
        must(at(given, r).get(at(at(graph.nodes, k).inputs, 0)), `${first.op} ${k}`),
      );
      const results = collective(first, inputs);
      for (const [r, graph] of graphs.entries()) at(given, r).set(at(at(graph.nodes, k).outputs, 0), at(results, r));
    } else for (const [r, graph] of graphs.entries()) runNode(graph, at(graph.nodes, k), ops, at(given, r), scratch);
  });
}

function runNode(graph: Graph, node: GraphNode, ops: OpTable, held: RankValues, scratch: CpuScratch): void {
  const typeOf = (id: ValueId) => at(graph.values, id).type;
  const outputs = node.outputs.map((id) => {
    const own = node.inputs.includes(id) ? held.get(id) : undefined;
    return own ?? allocate(typeOf(id).dtype, elements(typeOf(id).shape));
  });
  must(ops.get(node.op), node.op).cpu({
    inputs: node.inputs.map((id) => must(held.get(id), at(graph.values, id).name)),
    outputs,
    inputTypes: node.inputs.map(typeOf),
    outputTypes: node.outputs.map(typeOf),
    attrs: node.attrs,
    scratch,
  });
  for (const [k, id] of node.outputs.entries()) held.set(id, at(outputs, k));
}

/** What each rank gets. */
function collective({ op, attrs }: GraphNode, inputs: readonly HostArray[]): readonly HostArray[] {
  const sum = () => {
    const total = at(inputs, 0).slice();
    for (const input of inputs.slice(1)) for (let i = 0; i < total.length; i++) total[i] = at(total, i) + at(input, i);
    return total;
  };
  const part = (whole: HostArray, r: number) => {
    const length = whole.length / inputs.length;
    return whole.slice(r * length, (r + 1) * length);
  };
  switch (op) {
    case IDENTITY:
      return inputs.map((input) => input.slice());
    case ALL_REDUCE:
      return inputs.map(() => (attrs.reduceOp === 'max' ? largest(inputs) : sum()));
    case ALL_GATHER:
      return inputs.map(() => joined(inputs));
    case REDUCE_SCATTER:
      return inputs.map((_, r) => part(sum(), r));
    case CHUNK:
      return inputs.map((input, r) => part(input, r));
    default:
      throw new Error(`${op} is not a collective of a partition.`);
  }
}

function largest(inputs: readonly HostArray[]): HostArray {
  const result = at(inputs, 0).slice();
  for (const input of inputs) for (let i = 0; i < result.length; i++) result[i] = Math.max(at(result, i), at(input, i));
  return result;
}

function joined(inputs: readonly HostArray[]): HostArray {
  const all = allocate(
    at(inputs, 0) instanceof Int32Array ? 'i32' : 'f32',
    inputs.reduce((n, { length }) => n + length, 0),
  );
  let start = 0;
  for (const input of inputs) {
    all.set(input, start);
    start += input.length;
  }
  return all;
}
