/**
 * The nodes of an operator's case, forward and backward, on a real WebGPU device, each with the inputs that the CPU
 * gave it, against the CPU's outputs.
 */
import { at, must } from '../../base/invariant';
import { elements, type HostArray } from '../../tensor/shape';
import type { GraphNode } from '../graph';
import type { OpTypes, ValueId } from '../op';
import { lowerFor } from '../workgroup-launches';
import { ALL_OPS } from './all-ops';
import { type Maker, randomSource, type Sizes } from './case-tools';
import { distance, relativeError } from './closeness';
import { differentiate } from './differentiate';
import { runCpu } from './run-cpu';
import type { LaunchRunner } from './run-launch';

export type Measure = (node: string, actual: HostArray, expected: HostArray, inputs: readonly HostArray[]) => number;

/**
 * Where the CPU's result cancels to 0, a GPU that fuses products with sums (NVIDIA's does) leaves a rounding of what
 * cancelled: two roundings of float32 of the largest input are no error.
 */
export const errorOf: Measure = (_, actual, expected, inputs) => {
  let largest = 1;
  for (const data of inputs) for (const v of data) if (Number.isFinite(v)) largest = Math.max(largest, Math.abs(v));
  return distance(actual, expected) <= 2 ** -23 * largest ? 0 : relativeError(actual, expected);
};

export interface WorstOptions {
  /** Seeds at once. */
  readonly instances?: number;
  readonly measure?: Measure;
  /** Which nodes run, by the kernels that they are lowered to; absent: all. */
  readonly runs?: (kernels: readonly string[]) => boolean;
}

/**
 * Scratch with the sums of parts of the batch. Hardware has longer parts, which workgroup-convolutions.gpu.test.ts
 * holds to the plain kernel; the sums of all parts are compared here.
 */
const isSumsOfParts = ({ op, outputs }: GraphNode, output: number): boolean =>
  op === 'conv/conv2d-grad-params' && output === outputs.length - 1;

/** The worst error of all nodes, of all seeds. */
export async function worstErrorOn(
  runner: LaunchRunner,
  make: Maker,
  sizes: Sizes,
  { instances = 1, measure = errorOf, runs = () => true }: WorstOptions,
): Promise<{ error: number; node: string }> {
  const cases = Array.from({ length: instances }, (_, z) => {
    const random = randomSource(z + 1);
    const made = make(sizes, random);
    return { random, made, d: differentiate(ALL_OPS, made.op, made.attrs, made.inputs) };
  });
  const { graph } = at(cases, 0).d;
  const nodes = graph.nodes.filter((node) => {
    const launches = lowerFor(must(ALL_OPS.get(node.op), node.op), typesOf(node), runner.tuning);
    return runs(launches.map(({ kernel }) => kernel));
  });
  let worst = { error: 0, node: '' };
  if (nodes.length === 0) return worst;
  const values = cases.map(({ random, made, d }) => {
    const given = new Map(made.inputs.map((input, i): [ValueId, HostArray] => [at(d.inputs, i), input.data]));
    const outShape = at(d.graph.values, d.output).type.shape;
    given.set(
      d.upstream,
      Float32Array.from({ length: elements(outShape) }, () => random() * 2 - 1),
    );
    return runCpu(d.graph, ALL_OPS, given);
  });
  const held = (z: number, id: ValueId): HostArray => must(at(values, z).get(id), at(graph.values, id).name);
  for (const node of nodes) {
    const inputs = values.map((_, z) => node.inputs.map((id) => held(z, id)));
    const op = must(ALL_OPS.get(node.op), node.op);
    const outputs = await runner.run(op, typesOf(node), inputs);
    outputs.forEach((perOutput, z) => {
      perOutput.forEach((actual, k) => {
        const expected = held(z, at(node.outputs, k));
        if (actual.length === 0 && expected.length > 0) return; // scratch that nothing bound
        if (runner.tuning.workgroups && isSumsOfParts(node, k)) return;
        const numbers = expected instanceof Int32Array ? new Int32Array(actual.buffer) : actual;
        const error = measure(node.op, numbers, expected, at(inputs, z));
        if (!(error <= worst.error)) worst = { error, node: node.op };
      });
    });
  }
  return worst;

  function typesOf(node: GraphNode): OpTypes {
    const typeOf = (id: ValueId) => at(graph.values, id).type;
    return { inputs: node.inputs.map(typeOf), outputs: node.outputs.map(typeOf), attrs: node.attrs };
  }
}
