/** Runs a graph node by node on a real WebGPU device, every value through the host: the GPU counterpart of runCpu. */
import { at, must } from '../../base/invariant';
import type { HostArray } from '../../tensor/shape';
import type { Graph } from '../graph';
import type { ValueId } from '../op';
import { ALL_OPS } from './all-ops';
import type { LaunchRunner } from './run-launch';

export async function runGpu(
  graph: Graph,
  runner: LaunchRunner,
  given: ReadonlyMap<ValueId, HostArray>,
): Promise<ReadonlyMap<ValueId, HostArray>> {
  const held = new Map<ValueId, HostArray>(given);
  const typeOf = (id: ValueId) => at(graph.values, id).type;
  for (const node of graph.nodes) {
    const types = { inputs: node.inputs.map(typeOf), outputs: node.outputs.map(typeOf), attrs: node.attrs };
    const inputs = node.inputs.map((id) => must(held.get(id), at(graph.values, id).name));
    // An output that is an input too is overwritten: it starts with its contents.
    const before = node.outputs.map((id) => (node.inputs.includes(id) ? held.get(id) : undefined));
    const [outputs = []] = await runner.run(must(ALL_OPS.get(node.op), node.op), types, [[...inputs, ...before]]);
    node.outputs.forEach((id, k) => {
      const raw = at(outputs, k);
      held.set(id, typeOf(id).dtype === 'i32' ? new Int32Array(raw.buffer) : raw);
    });
  }
  return held;
}
