/**
 * Every operator, forward and through GraphBuilder's backward, on the CPU against what PyTorch 1.13 gave
 * (fixtures/ops.json).
 */
import { expect, it } from 'vitest';
import { at, must } from '../base/invariant';
import { elements } from '../tensor/shape';
import { ALL_OPS } from './testing/all-ops';
import { bar, distance } from './testing/closeness';
import { runCpu } from './testing/run-cpu';
import { TORCH_CASES, torchCaseGraph } from './testing/torch-cases';

it.each(TORCH_CASES)('%s', (_, stored) => {
  const { graph, given, expected } = torchCaseGraph(stored);
  const values = runCpu(graph, ALL_OPS, given);
  for (const { what, value, data, shape } of expected) {
    const type = at(graph.values, value).type;
    expect(type.shape, what).toEqual(shape.length === 0 ? [1] : shape);
    expect(elements(type.shape)).toBe(data.length);
    expect(distance(must(values.get(value), what), data), what).toBeLessThanOrEqual(bar(data));
  }
});
