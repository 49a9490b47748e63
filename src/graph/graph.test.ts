/** GraphBuilder: what backward appends, and what it leaves out. */
import { describe, expect, it } from 'vitest';
import { at, must } from '../base/invariant';
import type { HostArray } from '../tensor/shape';
import { GraphBuilder } from './graph';
import type { ValueId } from './op';
import { ALL_OPS } from './testing/all-ops';
import { runCpu } from './testing/run-cpu';

const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' }) as const;
const forward = (name: string) => ({ module: name, phase: 'forward', names: [name] }) as const;

describe('GraphBuilder', () => {
  it('sums the gradients of a value used several times, under one name', () => {
    const b = new GraphBuilder(ALL_OPS);
    const a = b.value('a', f32(2, 2), 'parameter');
    const square = at(b.apply('ops/matmul', [a, a], {}, forward('square')), 0);
    const y = at(b.apply('ops/add', [square, a], {}, forward('y')), 0);
    const seed = b.value('y.grad', f32(2, 2), 'seed');
    const gradients = b.backward(new Map([[y, seed]]), [a]);
    const graph = b.finish();
    const da = must(gradients.get(a), 'da');
    expect(at(graph.values, da).name).toBe('a.grad');
    expect(new Set(graph.values.map((v) => v.name)).size).toBe(graph.values.length);
    expect(graph.nodes.filter((n) => n.op === 'ops/add' && n.phase === 'backward')).toHaveLength(2);
    // d(sum(aa + a)) = 1 a^T + a^T 1 + 1
    const given = new Map<ValueId, HostArray>([
      [a, Float32Array.of(1, 2, 3, 4)],
      [seed, new Float32Array(4).fill(1)],
    ]);
    expect([...must(runCpu(graph, ALL_OPS, given).get(da), 'da')]).toEqual([8, 12, 10, 14]);
  });

  it('computes only the gradients that wrt needs, and omits nodes on which nothing depends', () => {
    const b = new GraphBuilder(ALL_OPS);
    const x = b.value('x', f32(3, 4), 'input');
    const w = b.value('w', f32(2, 4), 'parameter');
    const unused = b.value('unused', f32(1), 'parameter');
    const y = at(b.apply('ops/linear', [x, w], {}, forward('y')), 0);
    const z = at(b.apply('ops/tanh', [x], {}, forward('z')), 0);
    const seed = b.value('y.grad', f32(3, 2), 'seed');
    const seedZ = b.value('z.grad', f32(3, 4), 'seed');
    const gradients = b.backward(
      new Map([
        [y, seed],
        [z, seedZ],
      ]),
      [w, unused],
    );
    expect(gradients.has(unused)).toBe(false);
    const backward = b.finish().nodes.filter((n) => n.phase === 'backward');
    expect(backward.map((n) => n.op)).toEqual(['ops/linear-grad-params']);
    expect(backward[0]).toMatchObject({ module: 'y' });
  });

  it('makes names unique without touching those given first', () => {
    const b = new GraphBuilder(ALL_OPS);
    const ids = [b.value('x', f32(1), 'input'), b.value('x', f32(1), 'input'), b.value('x', f32(1), 'input')];
    const { values } = b.finish();
    expect(ids.map((id) => at(values, id).name)).toEqual(['x', 'x.1', 'x.2']);
  });

  it('refuses sizes that do not fit, in the words of PyTorch', () => {
    const b = new GraphBuilder(ALL_OPS);
    const x = b.value('x', f32(32, 10), 'input');
    const w = b.value('w', f32(4, 8), 'parameter');
    const t = b.value('t', f32(32, 1), 'target');
    expect(() => b.apply('ops/linear', [x, w], {}, forward('y'))).toThrow(
      'mat1 and mat2 shapes cannot be multiplied (32x10 and 8x4)',
    );
    expect(() => b.apply('ops/matmul', [x, w], {}, forward('y'))).toThrow(
      'mat1 and mat2 shapes cannot be multiplied (32x10 and 4x8)',
    );
    expect(() => b.apply('ops/add', [x, w], {}, forward('y'))).toThrow(
      'The size of tensor a (10) must match the size of tensor b (8) at non-singleton dimension 1',
    );
    expect(() => b.apply('loss/bce-with-logits', [x, t], {}, forward('y'))).toThrow(
      'Target size (torch.Size([32, 1])) must be the same as input size (torch.Size([32, 10]))',
    );
    expect(() => b.apply('ops/sum', [x], { dim: 2 }, forward('y'))).toThrow(
      'Dimension out of range (expected to be in range of [-2, 1], but got 2)',
    );
  });
});
