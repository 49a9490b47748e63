/**
 * The operators' test cases that concern kernels of WebAssembly: every node of a case, forward and backward, by both
 * kernels. For the property test and the fuzzer.
 */
import { at, must } from '../../../base/invariant';
import { elements, type HostArray } from '../../../tensor/shape';
import type { ValueId } from '../../op';
import { ALL_OPS } from '../../testing/all-ops';
import { type OpCase, randomSource } from '../../testing/case-tools';
import { CASES } from '../../testing/cases';
import { differentiate } from '../../testing/differentiate';
import { runCpu } from '../../testing/run-cpu';
import { GRAPH_VECTORS } from '..';
import { expectSameBits } from './same-bits';

/** These multiply by way of CpuScratch, which has the kernel of products. */
const PRODUCTS = ['ops/linear', 'ops/linear-grad-input', 'ops/linear-grad-params', 'ops/matmul'];

const concerns = (op: string): boolean => GRAPH_VECTORS.has(op) || PRODUCTS.includes(op);

export const VECTOR_CASES = Object.entries(CASES).filter(([, make]) => {
  const { op, attrs, inputs } = make([4, 4, 4], randomSource(1));
  return differentiate(ALL_OPS, op, attrs, inputs).graph.nodes.some((node) => concerns(node.op));
});

export const SPECIAL_VALUES = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  ...[0, -0, 1e-42, -3e38],
];

/** `spoil` changes what the case is given. Returns the operators that a row of the table ran. */
export function expectSameBitsOfCase(
  made: OpCase,
  random: () => number,
  spoil: (data: HostArray) => void = () => {},
): readonly string[] {
  const d = differentiate(ALL_OPS, made.op, made.attrs, made.inputs);
  const outShape = at(d.graph.values, d.output).type.shape;
  const upstream = Float32Array.from({ length: elements(outShape) }, () => random() * 2 - 1);
  spoil(upstream);
  const given = new Map(made.inputs.map(({ data }, i): [ValueId, HostArray] => [at(d.inputs, i), data]));
  for (const data of given.values()) if (data instanceof Float32Array) spoil(data);
  given.set(d.upstream, upstream);
  const values = runCpu(d.graph, ALL_OPS, given);
  return d.graph.nodes
    .filter(({ op }) => concerns(op))
    .flatMap((node) => {
      const op = must(ALL_OPS.get(node.op), node.op);
      const types = node.inputs.map((id) => at(d.graph.values, id).type);
      const data = node.inputs.map((id) => must(values.get(id), 'a value'));
      return expectSameBits({ op, types, attrs: node.attrs, data }, GRAPH_VECTORS.get(node.op)) ? [node.op] : [];
    });
}
