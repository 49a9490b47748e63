/** Names, ranges, gradients and draws of a model's graph. */
import { describe, expect, it } from 'vitest';
import { must } from '../base/invariant';
import { GraphBuilder } from '../graph/graph';
import type { ValueId } from '../graph/op';
import { OPS } from '../graph/op-table';
import { DEFAULT_CONFIG } from '../protocol/config';
import { Generator } from '../tensor/generator';
import { buildLoss } from './losses';
import { buildForward, initialParameters, parameterList } from './model';

const { layers } = DEFAULT_CONFIG.model;
const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' }) as const;

function whole() {
  const builder = new GraphBuilder(OPS);
  const x = builder.value('x', f32(10, 2), 'input');
  const y = builder.value('y', f32(10, 1), 'target');
  const { output, parameters } = buildForward(builder, layers, x);
  const loss = buildLoss(builder, DEFAULT_CONFIG.loss, output, y);
  const seed = builder.value('loss.grad', f32(1), 'seed');
  const wrt = parameters.map((p) => p.value);
  const gradients = builder.backward(new Map([[loss, seed]]), wrt);
  return { graph: builder.finish(), parameters, gradients };
}

describe('model', () => {
  it('names parameters, activations and gradients as PyTorch does', () => {
    const { graph, parameters, gradients } = whole();
    expect(parameters.map((p) => p.name)).toEqual(['0.weight', '0.bias', '2.weight', '2.bias', '4.weight', '4.bias']);
    const nameOf = (id: ValueId) => must(graph.values[id], 'value').name;
    expect(parameters.map((p) => nameOf(must(gradients.get(p.value), p.name)))).toEqual(
      parameters.map((p) => `${p.name}.grad`),
    );
    expect(graph.nodes.map((n) => `${n.phase} ${n.module} ${n.op} -> ${n.outputs.map(nameOf).join(' ')}`)).toEqual([
      'forward 0 ops/linear -> 0.out',
      'forward 1 ops/tanh -> 1.out',
      'forward 2 ops/linear -> 2.out',
      'forward 3 ops/tanh -> 3.out',
      'forward 4 ops/linear -> 4.out',
      'loss  loss/bce-with-logits -> loss',
      'backward  loss/bce-with-logits-grad -> 4.out.grad',
      'backward 4 ops/linear-grad-params -> 4.weight.grad 4.bias.grad',
      'backward 4 ops/linear-grad-input -> 3.out.grad',
      'backward 3 ops/tanh-grad -> 2.out.grad',
      'backward 2 ops/linear-grad-params -> 2.weight.grad 2.bias.grad',
      'backward 2 ops/linear-grad-input -> 1.out.grad',
      'backward 1 ops/tanh-grad -> 0.out.grad',
      'backward 0 ops/linear-grad-params -> 0.weight.grad 0.bias.grad',
    ]);
    expect(new Set(graph.values.map((v) => v.name)).size).toBe(graph.values.length);
  });

  it('needs one dispatch per node, 19 for 2-8-8-8-1', () => {
    const deep = [...layers.slice(0, 4), ...layers.slice(2)];
    const builder = new GraphBuilder(OPS);
    const x = builder.value('x', f32(10, 2), 'input');
    const y = builder.value('y', f32(10, 1), 'target');
    const { output, parameters } = buildForward(builder, deep, x);
    const loss = buildLoss(builder, DEFAULT_CONFIG.loss, output, y);
    const seed = builder.value('loss.grad', f32(1), 'seed');
    builder.backward(
      new Map([[loss, seed]]),
      parameters.map((p) => p.value),
    );
    const graph = builder.finish();
    const launches = graph.nodes.flatMap((n) =>
      must(OPS.get(n.op), n.op).lower({
        inputs: n.inputs.map((id) => must(graph.values[id], 'value').type),
        outputs: n.outputs.map((id) => must(graph.values[id], 'value').type),
        attrs: n.attrs,
      }),
    );
    expect(launches.length).toBe(19);
  });

  it('builds a range of layers with the names of the whole model, and its boundary gradient', () => {
    const builder = new GraphBuilder(OPS);
    const input = builder.value('1.out', f32(10, 8), 'input');
    const { output, parameters } = buildForward(builder, layers, input, { range: { start: 2, end: 4 } });
    expect(parameters.map((p) => p.name)).toEqual(['2.weight', '2.bias']);
    expect(must(builder.finish().values[output], 'output').name).toBe('3.out');
    const received = builder.value('3.out.grad', f32(10, 8), 'gradient');
    const gradients = builder.backward(new Map([[output, received]]), [...parameters.map((p) => p.value), input]);
    const graph = builder.finish();
    expect(must(graph.values[must(gradients.get(input), 'gradient')], 'value').name).toBe('1.out.grad');
  });

  it('draws parameters in registration order', () => {
    const made = initialParameters(layers, new Generator(0));
    expect(made.map(({ name, shape }) => ({ name, shape }))).toEqual(
      parameterList(layers).map(({ name, shape }) => ({ name, shape })),
    );
    // torch.manual_seed(0); nn.Linear(2, 8).weight[0]
    expect([...must(made[0], 'weight').data.slice(0, 2)].map((v) => v.toFixed(4))).toEqual(['-0.0053', '0.3793']);
  });
});
