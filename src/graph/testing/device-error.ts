/**
 * One operator and its gradient on both devices from the same inputs: how far the GPU is from the CPU. For the tests
 * that are beside operators.
 */
import { at, must } from '../../base/invariant';
import { elements, type HostArray } from '../../tensor/shape';
import type { ValueId } from '../op';
import { ALL_OPS } from './all-ops';
import { type OpCase, randomSource } from './case-tools';
import { relativeError } from './closeness';
import { differentiate } from './differentiate';
import { runCpu } from './run-cpu';
import { runGpu } from './run-gpu';
import type { LaunchRunner } from './run-launch';

export interface DeviceError {
  /** The worst relativeError over all outputs of all nodes. */
  readonly error: number;
  /** Value with it. */
  readonly value: string;
  /** Output 0 and the gradients on the GPU. */
  readonly out: HostArray;
  readonly gradients: readonly (HostArray | undefined)[];
}

export async function deviceError(runner: LaunchRunner, made: OpCase): Promise<DeviceError> {
  const d = differentiate(ALL_OPS, made.op, made.attrs, made.inputs);
  const random = randomSource(5);
  const upstream = Float32Array.from(
    { length: elements(at(d.graph.values, d.output).type.shape) },
    () => random() * 2 - 1,
  );
  const given = new Map(made.inputs.map((input, i): [ValueId, HostArray] => [at(d.inputs, i), input.data]));
  given.set(d.upstream, upstream);
  const expected = runCpu(d.graph, ALL_OPS, given);
  const actual = await runGpu(d.graph, runner, given);
  let worst = { error: 0, value: '' };
  for (const id of d.graph.nodes.flatMap((node) => node.outputs)) {
    const [gpu, cpu] = [must(actual.get(id), 'GPU'), must(expected.get(id), 'CPU')];
    if (gpu.length === 0 && cpu.length > 0) continue; // scratch that nothing bound
    const error = relativeError(gpu, cpu);
    if (!(error <= worst.error)) worst = { error, value: at(d.graph.values, id).name };
  }
  const gradients = d.gradients.map((id) => (id === undefined ? undefined : actual.get(id)));
  return { ...worst, out: must(actual.get(d.output), 'out'), gradients };
}
