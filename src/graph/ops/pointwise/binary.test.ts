/** Which operators give the gradients of a broadcast, and that long sums in parts give the same numbers. */
import { describe, expect, it } from 'vitest';
import { at, must } from '../../../base/invariant';
import type { HostArray, Shape } from '../../../tensor/shape';
import type { ValueId } from '../../op';
import { ALL_OPS } from '../../testing/all-ops';
import { randomSource, reals } from '../../testing/case-tools';
import { differentiate } from '../../testing/differentiate';
import { runCpu } from '../../testing/run-cpu';
import { broadcastDims, broadcastShape } from './broadcast';

function backward(op: string, a: Shape, b: Shape) {
  const random = randomSource(3);
  const inputs = [reals(a, random), reals(b, random)];
  const d = differentiate(ALL_OPS, op, {}, inputs);
  const upstream = reals(broadcastShape([a, b]), random).data;
  const given = new Map<ValueId, HostArray>(inputs.map((input, i) => [at(d.inputs, i), input.data]));
  const values = runCpu(d.graph, ALL_OPS, given.set(d.upstream, upstream));
  const gradient = (i: number) => must(values.get(must(d.gradients[i], 'gradient')), 'gradient');
  return { ops: d.graph.nodes.slice(1).map((node) => node.op), gradient, inputs: inputs.map((i) => i.data), upstream };
}

describe('gradients of a broadcast', () => {
  it('are dy itself or a product if nothing is broadcast', () => {
    expect(backward('ops/add', [3, 2], [3, 2]).ops).toEqual([]);
    expect(backward('ops/mul', [3, 2], [3, 2]).ops.sort()).toEqual(['ops/mul', 'ops/mul']);
  });

  it('sum short repetitions in one kernel that keeps nothing, long ones by parts', () => {
    expect(backward('ops/mul', [30, 2], [2]).ops.sort()).toEqual(['ops/mul', 'ops/mul-grad']);
    expect(backward('ops/mul', [3000, 2], [2]).ops.sort()).toEqual(['ops/mul', 'ops/mul', 'ops/sum']);
  });

  it.each([
    [[3000, 2], [2]],
    [[1500, 2], [1]],
    [[40, 50, 3], [1]],
    [[40, 50, 3], [3]],
  ])('of %o and %o agree with a plain sum', (a, b) => {
    const { gradient, inputs, upstream } = backward('ops/mul', a, b);
    const expected = new Float64Array(at(inputs, 1).length);
    upstream.forEach((d, i) => {
      const c = i % expected.length;
      expected[c] = at(expected, c) + d * at(at(inputs, 0), i);
    });
    expect(gradient(1)).toHaveLength(expected.length);
    expected.forEach((e, c) => {
      expect(at(gradient(1), c)).toBeCloseTo(e, 3);
    });
  });
});

describe('broadcasting', () => {
  it('merges dimensions that all operands treat alike', () => {
    expect(
      broadcastDims(
        [2, 3, 4],
        [
          [2, 3, 4],
          [3, 4],
        ],
      ),
    ).toEqual([
      { size: 2, steps: [12, 0] },
      { size: 12, steps: [1, 1] },
    ]);
    expect(broadcastDims([2, 3, 4], [[2, 3, 4], [1]])).toEqual([{ size: 24, steps: [1, 0] }]);
    expect(broadcastDims([1, 1], [[1, 1], [1]])).toEqual([{ size: 1, steps: [0, 0] }]);
  });

  it('refuses shapes that do not fit, and more dimensions than the kernels support, and says what to do', () => {
    expect(() =>
      broadcastShape([
        [3, 4],
        [2, 4],
      ]),
    ).toThrow('The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0');
    const turns = [2, 1, 2, 1, 2, 1, 2];
    const others = [1, 2, 1, 2, 1, 2, 1];
    expect(() => broadcastDims([2, 2, 2, 2, 2, 2, 2], [turns, others])).toThrow('more than 6 dimensions');
  });
});
