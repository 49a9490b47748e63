/**
 * Convolutions large enough for several tiles and for parts of several rows, on a real WebGPU device against the CPU,
 * forward and backward; the small and odd shapes are in ops.gpu.test.ts.
 */
import { beforeAll, expect, it } from 'vitest';
import { at, must } from '../../../base/invariant';
import { elements, type HostArray, type Shape } from '../../../tensor/shape';
import type { Attrs, ValueId } from '../../op';
import { ALL_OPS } from '../../testing/all-ops';
import { randomSource, reals } from '../../testing/case-tools';
import { relativeError } from '../../testing/closeness';
import { differentiate } from '../../testing/differentiate';
import { runCpu } from '../../testing/run-cpu';
import { LaunchRunner } from '../../testing/run-launch';

let runner: LaunchRunner | undefined;

beforeAll(async () => {
  runner = await LaunchRunner.open();
});

it.each<[string, string, readonly Shape[], Attrs, readonly string[]]>([
  [
    '3 x 3',
    'conv/conv2d',
    [[9, 11, 15, 13], [19, 11, 3, 3], [19]],
    { padding: 1 },
    ['conv/conv2d-3x3', 'conv/conv2d-grad-params-3x3', 'conv/conv2d-3x3'],
  ],
  [
    '5 x 5',
    'conv/conv2d',
    [[9, 11, 15, 13], [19, 11, 5, 5], [19]],
    { padding: 2 },
    ['conv/conv2d', 'conv/conv2d-grad-params', 'conv/conv2d'],
  ],
  [
    'stride 2, groups',
    'conv/conv2d',
    [[9, 22, 15, 13], [18, 11, 3, 3], [18]],
    { padding: 1, stride: 2, groups: 2 },
    ['conv/conv2d', 'conv/conv2d-grad-params', 'conv/conv2d-grad-input'],
  ],
  [
    'one dimension',
    'conv/conv1d',
    [[150, 17, 31], [19, 17, 7], [19]],
    { padding: 3 },
    ['conv/conv2d', 'conv/conv2d-grad-params', 'conv/conv2d'],
  ],
  [
    'transposed',
    'conv/conv-transpose2d',
    [[9, 19, 8, 7], [19, 11, 3, 3], [11]],
    { stride: 2, padding: 1, outputPadding: 1 },
    ['conv/conv2d-grad-input', 'conv/conv2d-grad-params', 'conv/channel-sums', 'conv/conv2d'],
  ],
])('%s: tiles and parts agree with the CPU', async (_, op, shapes, attrs, kernels) => {
  const random = randomSource(5);
  const inputs = shapes.map((shape) => reals(shape, random));
  const { graph, inputs: ids, output, upstream } = differentiate(ALL_OPS, op, attrs, inputs);
  const given = new Map(ids.map((id, i): [ValueId, HostArray] => [id, at(inputs, i).data]));
  given.set(upstream, reals(at(graph.values, output).type.shape, random).data);
  const values = runCpu(graph, ALL_OPS, given);
  const typeOf = (id: ValueId) => at(graph.values, id).type;
  const held = (id: ValueId): HostArray => must(values.get(id), at(graph.values, id).name);
  const used: string[] = [];
  for (const node of graph.nodes) {
    const types = { inputs: node.inputs.map(typeOf), outputs: node.outputs.map(typeOf), attrs: node.attrs };
    const def = must(ALL_OPS.get(node.op), node.op);
    used.push(at(def.lower(types), 0).kernel);
    const outputs = at(await must(runner, 'runner').run(def, types, [node.inputs.map(held)]), 0);
    node.outputs.forEach((id, k) => {
      const actual = at(outputs, k);
      expect(actual.length).toBe(elements(typeOf(id).shape));
      expect(relativeError(actual, held(id)), `output ${k} of ${node.op}`).toBeLessThan(1e-5);
    });
  }
  expect(used).toEqual(kernels);
});
