/**
 * Fused graphs against plain ones on a real WebGPU device: the same values, and fewer dispatches.
 *
 * @module-tag rest: ops.gpu.test.ts has fused kernels, and bits.test.ts the fused Programs.
 */
import { beforeAll, expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import { elements, type HostArray } from '../../tensor/shape';
import { type Graph, GraphBuilder } from '../graph';
import type { Attrs, ValueId } from '../op';
import { ALL_OPS, ALL_STAGE_OPS } from '../testing/all-ops';
import { randomSource } from '../testing/case-tools';
import { runCpu } from '../testing/run-cpu';
import { runGpu } from '../testing/run-gpu';
import { LaunchRunner } from '../testing/run-launch';
import { elementwiseFusion } from './fuse-elementwise';
import { FUSIONS, fuse as fuseBy } from './index';

/** Chains of the operators too that do not ship. */
const PASSES = Object.values({ ...FUSIONS, fuseElementwise: elementwiseFusion(ALL_STAGE_OPS) });
const fuse = (graph: Graph, keep: ReadonlySet<ValueId>): Graph => fuseBy(graph, keep, { passes: PASSES });

let runner: LaunchRunner | undefined;
beforeAll(async () => {
  runner = await LaunchRunner.open();
});
interface Network {
  readonly graph: Graph;
  readonly keep: ReadonlySet<ValueId>;
  /** Names of the values to compare. */
  readonly wanted: readonly string[];
}

class NetworkBuilder {
  readonly builder = new GraphBuilder(ALL_OPS);
  private readonly parameters: ValueId[] = [];

  input(name: string, ...shape: number[]): ValueId {
    return this.builder.value(name, { shape, dtype: 'f32' }, name === 'y' ? 'target' : 'input');
  }

  parameter(name: string, ...shape: number[]): ValueId {
    const id = this.builder.value(name, { shape, dtype: 'f32' }, 'parameter');
    this.parameters.push(id);
    return id;
  }

  forward(module: string, op: string, inputs: readonly ValueId[], attrs: Attrs = {}): ValueId {
    const names = [`${module}.out`, `${module}.1`, `${module}.2`];
    return at(this.builder.apply(op, inputs, attrs, { module, phase: 'forward', names }), 0);
  }

  /** Differentiated for the mean loss of `out` and a target of its shape. */
  finish(out: ValueId, loss = 'loss/mse'): Network {
    const { builder } = this;
    const target = this.input('y', ...builder.typeOf(out).shape);
    const named = { module: '', phase: 'loss', names: ['loss'] } as const;
    const value = at(builder.apply(loss, [out, target], { reduction: 'mean' }, named), 0);
    const seed = builder.value('loss.grad', { shape: [1], dtype: 'f32' }, 'seed');
    const gradients = builder.backward(new Map([[value, seed]]), this.parameters);
    const graph = builder.finish();
    const inner = new Set(['activation', 'gradient']);
    const outer = graph.values.flatMap((v) => (inner.has(v.role) ? [] : [v.id]));
    const keep = new Set([out, ...gradients.values(), ...outer]);
    const name = (id: ValueId) => at(graph.values, id).name;
    return { graph, keep, wanted: [name(out), 'loss', ...[...gradients.values()].map(name)] };
  }
}

/** x [rows, 3] -> Linear 5 -> act -> Linear 2 -> loss. */
function perceptron(rows: number, activation: string, loss: string): Network {
  const net = new NetworkBuilder();
  const x = net.input('x', rows, 3);
  const first = [net.parameter('0.weight', 5, 3), net.parameter('0.bias', 5)];
  const hidden = net.forward('1', activation, [net.forward('0', 'ops/linear', [x, ...first])]);
  const second = [net.parameter('2.weight', 2, 5), net.parameter('2.bias', 2)];
  return net.finish(net.forward('2', 'ops/linear', [hidden, ...second]), loss);
}

/** x [2, 1, height, width] -> Conv2d 3 -> ReLU -> MaxPool2d 2 -> Conv2d 2 -> loss. */
function pooled(height: number, width: number): Network {
  const net = new NetworkBuilder();
  const x = net.input('x', 2, 1, height, width);
  const conv = [net.parameter('0.weight', 3, 1, 3, 3), net.parameter('0.bias', 3)];
  const relu = net.forward('1', 'ops/relu', [net.forward('0', 'conv/conv2d', [x, ...conv], { padding: 1 })]);
  const pool = net.forward('2', 'conv/max-pool2d', [relu], { kernelSize: 2 });
  return net.finish(net.forward('3', 'conv/conv2d', [pool, net.parameter('3.weight', 2, 3, 1, 1)]));
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

async function expectSameBits({ graph, keep, wanted }: Network): Promise<void> {
  const fused = fuse(graph, keep);
  expect(fused.nodes.length).toBeLessThan(graph.nodes.length);
  const named = (g: Graph, values: ReadonlyMap<ValueId, HostArray>, name: string) => {
    const { id } = must(
      g.values.find((v) => v.name === name),
      name,
    );
    return must(values.get(id), name);
  };
  const plainCpu = runCpu(graph, ALL_OPS, givenFor(graph));
  const fusedCpu = runCpu(fused, ALL_OPS, givenFor(fused));
  const plain = await runGpu(graph, must(runner, 'runner'), givenFor(graph));
  const quick = await runGpu(fused, must(runner, 'runner'), givenFor(fused));
  for (const name of wanted) {
    expect(named(fused, fusedCpu, name), `${name} on the CPU`).toEqual(named(graph, plainCpu, name));
    expect(named(fused, quick, name), name).toEqual(named(graph, plain, name));
  }
}

it.each([
  ['ops/relu', 'loss/mse', 7],
  ['ops/tanh', 'loss/bce-with-logits', 33],
  ['ops/sigmoid', 'loss/l1', 5],
  ['ops/tanh', 'loss/smooth-l1', 600],
])('%s and %s on %i rows', async (activation, loss, rows) => {
  await expectSameBits(perceptron(rows, activation, loss));
});

it.each([
  [2, 2],
  [6, 10],
  [4, 70],
])('relu and max pooling of %i x %i', async (height, width) => {
  const network = pooled(height, width);
  expect(fuse(network.graph, network.keep).nodes.some(({ op }) => op.includes('relu'))).toBe(false);
  await expectSameBits(network);
});

/** x [3, 1, height, width] -> Conv2d 2 -> BatchNorm2d -> (ReLU) -> (MaxPool2d 2) -> Conv2d 2 -> loss. */
function normalized(height: number, width: number, relu: boolean, pooling = true): Network {
  const net = new NetworkBuilder();
  const buffer = (name: string) => net.builder.value(name, { shape: [2], dtype: 'f32' }, 'input');
  const x = net.input('x', 3, 1, height, width);
  const conv = net.forward('0', 'conv/conv2d', [x, net.parameter('0.weight', 2, 1, 1, 1)]);
  const affine = [net.parameter('1.weight', 2), net.parameter('1.bias', 2)];
  const norm = net.forward('1', 'norm/batch-norm', [conv, buffer('mean'), buffer('invstd'), ...affine]);
  const active = relu ? net.forward('2', 'ops/relu', [norm]) : norm;
  const pool = pooling ? net.forward('3', 'conv/max-pool2d', [active], { kernelSize: 2 }) : active;
  return net.finish(net.forward('4', 'conv/conv2d', [pool, net.parameter('4.weight', 2, 2, 1, 1)]));
}

it.each([
  [2, 2, true],
  [4, 36, true],
  [6, 14, false],
])('batch norm and max pooling of %i x %i, relu %s', async (height, width, relu) => {
  const network = normalized(height, width, relu);
  expect(fuse(network.graph, network.keep).nodes.map(({ op }) => op)).toContain('norm/batch-norm-pool');
  await expectSameBits(network);
});

it.each([
  [3, 5],
  [4, 6],
])('batch norm and relu of %i x %i', async (height, width) => {
  const network = normalized(height, width, true, false);
  expect(fuse(network.graph, network.keep).nodes.map(({ op }) => op)).not.toContain('ops/relu');
  await expectSameBits(network);
});

/** x [rows, 6] -> Linear 6 -> stages, each with what it needs -> loss. */
function chained(rows: number, stages: readonly (readonly [op: string, attrs?: Attrs])[]): Network {
  const net = new NetworkBuilder();
  const x = net.input('x', rows, 6);
  const linear = [net.parameter('0.weight', 6, 6), net.parameter('0.bias', 6)];
  let value = net.forward('0', 'ops/linear', [x, ...linear]);
  stages.forEach(([op, attrs], i) => {
    const binary = ['ops/add', 'ops/sub', 'ops/mul', 'ops/div', 'ops/maximum', 'ops/dropout'].includes(op);
    const operands = binary ? [value, net.input(`m${i}`, rows, 6)] : [value];
    value = net.forward(`${i + 1}`, op, op === 'ops/sub' ? [...operands].reverse() : operands, attrs);
  });
  return net.finish(value);
}

it.each([
  [1, [['ops/gelu'], ['ops/dropout', { p: 0.25 }]]],
  [7, [['ops/gelu', { approximate: 'tanh' }], ['ops/dropout', { p: 0.5 }], ['ops/add']]],
  [65, [['ops/silu'], ['ops/sub'], ['ops/neg'], ['ops/abs']]],
  [9, [['ops/square'], ['ops/add'], ['ops/sqrt'], ['ops/mul']]],
  [30, [['ops/leaky-relu'], ['ops/maximum'], ['ops/elu'], ['ops/div'], ['ops/softplus']]],
] as const)('a chain on %i rows: %j', async (rows, stages) => {
  const network = chained(rows, stages);
  const ops = fuse(network.graph, network.keep).nodes.map(({ op }) => op);
  expect(ops.filter((op) => op === 'pointwise/chain').length).toBeGreaterThan(0);
  await expectSameBits(network);
});
