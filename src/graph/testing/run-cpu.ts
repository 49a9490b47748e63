/**
 * Runs a graph node by node with the operators' CPU kernels: the plainest executor there is. What is in half precision
 * stays float32 and is rounded after its operator. For tests of `graph`, `nn` and of whoever stores halves.
 */
import { at, must } from '../../base/invariant';
import { roundTo } from '../../tensor/half-bits';
import { allocate, elements, type HostArray } from '../../tensor/shape';
import { CpuScratch } from '../cpu-scratch';
import type { Graph } from '../graph';
import type { OpTable, ValueId } from '../op';

/** `given` holds every value that no node makes; the result holds all values. */
export function runCpu(
  graph: Graph,
  ops: OpTable,
  given: ReadonlyMap<ValueId, HostArray>,
): ReadonlyMap<ValueId, HostArray> {
  const scratch = new CpuScratch();
  const held = new Map<ValueId, HostArray>(given);
  const typeOf = (id: ValueId) => at(graph.values, id).type;
  for (const node of graph.nodes) {
    const op = must(ops.get(node.op), node.op);
    const inputs = node.inputs.map((id) => must(held.get(id), at(graph.values, id).name));
    const outputs = node.outputs.map((id) => {
      const own = node.inputs.includes(id) ? held.get(id) : undefined;
      return own ?? allocate(typeOf(id).dtype, elements(typeOf(id).shape));
    });
    op.cpu({
      inputs,
      outputs,
      inputTypes: node.inputs.map(typeOf),
      outputTypes: node.outputs.map(typeOf),
      attrs: node.attrs,
      scratch,
    });
    node.outputs.forEach((id, k) => {
      const values = at(outputs, k);
      const { half } = at(graph.values, id);
      if (half && values instanceof Float32Array) roundTo(half, values);
      held.set(id, values);
    });
  }
  return held;
}
