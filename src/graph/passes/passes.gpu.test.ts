/** Fused graphs against plain ones on a real WebGPU device: the same values, and fewer dispatches. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import { elements, type HostArray } from '../../tensor/shape';
import { type Graph, GraphBuilder } from '../graph';
import type { ValueId } from '../op';
import { OPS } from '../op-table';
import { randomSource } from '../testing/case-tools';
import { runCpu } from '../testing/run-cpu';
import { runGpu } from '../testing/run-gpu';
import { LaunchRunner } from '../testing/run-launch';
import { fuse } from './index';

let runner: LaunchRunner | undefined;
beforeAll(async () => {
  runner = await LaunchRunner.open();
});
afterAll(() => {
  runner?.close();
  runner = undefined;
});

/** x [rows, 3] -> Linear 5 -> act -> Linear 2 -> loss, differentiated. */
function network(
  rows: number,
  activation: string,
  loss: string,
): { graph: Graph; keep: Set<ValueId>; wanted: string[] } {
  const builder = new GraphBuilder(OPS);
  const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' }) as const;
  const parameter = (name: string, ...shape: number[]) => builder.value(name, f32(...shape), 'parameter');
  const forward = (module: string, op: string, ...inputs: ValueId[]) =>
    at(builder.apply(op, inputs, {}, { module, phase: 'forward', names: [`${module}.out`] }), 0);
  const x = builder.value('x', f32(rows, 3), 'input');
  const parameters = [
    parameter('0.weight', 5, 3),
    parameter('0.bias', 5),
    parameter('2.weight', 2, 5),
    parameter('2.bias', 2),
  ];
  const [w0, b0, w2, b2] = parameters as [number, number, number, number];
  const hidden = forward('1', activation, forward('0', 'ops/linear', x, w0, b0));
  const out = forward('2', 'ops/linear', hidden, w2, b2);
  const target = builder.value('y', f32(rows, 2), 'target');
  const value = at(
    builder.apply(loss, [out, target], { reduction: 'mean' }, { module: '', phase: 'loss', names: ['loss'] }),
    0,
  );
  const seed = builder.value('loss.grad', f32(1), 'seed');
  const gradients = builder.backward(new Map([[value, seed]]), parameters);
  const graph = builder.finish();
  const inner = new Set(['activation', 'gradient']);
  const keep = new Set([out, ...gradients.values(), ...graph.values.flatMap((v) => (inner.has(v.role) ? [] : [v.id]))]);
  return { graph, keep, wanted: ['2.out', 'loss', ...parameters.map((p) => `${at(graph.values, p).name}.grad`)] };
}

function givenFor(graph: Graph): Map<ValueId, HostArray> {
  const random = randomSource(5);
  const made = new Set(graph.nodes.flatMap((node) => node.outputs));
  const values = new Map<string, Float32Array>();
  return new Map(
    graph.values
      .filter((v) => !made.has(v.id))
      .map((v) => {
        const data = Float32Array.from({ length: elements(v.type.shape) }, () => random());
        values.set(v.name, data);
        return [v.id, v.role === 'seed' ? Float32Array.of(1) : data];
      }),
  );
}

it.each([
  ['ops/relu', 'loss/mse', 7],
  ['ops/tanh', 'loss/bce-with-logits', 33],
  ['ops/sigmoid', 'loss/l1', 5],
  ['ops/tanh', 'loss/smooth-l1', 600],
])('%s and %s on %i rows', async (activation, loss, rows) => {
  const { graph, keep, wanted } = network(rows, activation, loss);
  const fused = fuse(graph, keep);
  expect(fused.nodes.length).toBeLessThan(graph.nodes.length);
  const named = (g: Graph, values: ReadonlyMap<ValueId, HostArray>, name: string) =>
    must(
      values.get(
        must(
          g.values.find((v) => v.name === name),
          name,
        ).id,
      ),
      name,
    );
  const plainCpu = runCpu(graph, OPS, givenFor(graph));
  const fusedCpu = runCpu(fused, OPS, givenFor(fused));
  const plain = await runGpu(graph, must(runner, 'runner'), givenFor(graph));
  const quick = await runGpu(fused, must(runner, 'runner'), givenFor(fused));
  for (const name of wanted) {
    expect(named(fused, fusedCpu, name), `${name} on the CPU`).toEqual(named(graph, plainCpu, name));
    expect(named(fused, quick, name), name).toEqual(named(graph, plain, name));
  }
});
