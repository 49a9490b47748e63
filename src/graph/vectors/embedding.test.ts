/** Embeddings by WebAssembly: ids out of range, parts of a table, the row without gradient. */
import { expect, it } from 'vitest';
import { must } from '../../base/invariant';
import { CpuScratch } from '../cpu-scratch';
import { ALL_OPS } from '../testing/all-ops';
import { GRAPH_VECTORS, KERNELS, Vectors } from '.';
import { expectSameBits } from './testing/same-bits';

const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' as const });
const TABLE = Float32Array.from({ length: 5 * 6 }, (_, i) => i / 7);

function pick(ids: readonly number[], attrs: Readonly<Record<string, number>>): boolean {
  const op = must(ALL_OPS.get('embedding/embedding'), 'the operator');
  const types = [{ shape: [ids.length], dtype: 'i32' as const }, f32(5, 6)];
  return expectSameBits({ op, types, attrs, data: [Int32Array.from(ids), TABLE] }, GRAPH_VECTORS.get(op.name));
}

const OUT_OF_RANGE = [5, -1, 2 ** 31 - 1];

it.each(OUT_OF_RANGE)('a part of a table has zeros for id %d', (id) => {
  expect(pick([0, id, 4], { first: 0 })).toBe(true);
  expect(pick([3, id, 7], { first: 3 })).toBe(true);
});

it.each(OUT_OF_RANGE)('id %d is out of range of a whole table', (id) => {
  const vectors = must(Vectors.open(must(KERNELS, 'WebAssembly with vectors'), [4096]), 'memory');
  const [ids, table, y] = [vectors.array('i32', 3), vectors.array('f32', 30), vectors.array('f32', 18)];
  ids.set([0, id, 4]);
  const types = { inputTypes: [{ shape: [3], dtype: 'i32' as const }, f32(5, 6)], outputTypes: [f32(3, 6)] };
  const args = { inputs: [ids, table], outputs: [y], ...types, attrs: {}, scratch: new CpuScratch(vectors) };
  const run = must(GRAPH_VECTORS.get('embedding/embedding')?.(args, vectors), 'the kernel');
  expect(run).toThrow(expect.objectContaining({ hint: expect.stringContaining(`the input contains ${id}.`) }));
});

it.each([-1, 0, 2])('row %d gets no gradient', (skip) => {
  const op = must(ALL_OPS.get('embedding/embedding-grad'), 'the operator');
  const ids = Int32Array.of(2, 0, 2, 4, 0, 9, -3);
  const dy = Float32Array.from({ length: 7 * 6 }, (_, i) => Math.sin(i));
  for (const first of [0, 1]) {
    const attrs = { shape: [5, 6], skip, first };
    const run = { op, types: [f32(7, 6), { shape: [7], dtype: 'i32' as const }], attrs, data: [dy, ids] };
    expect(expectSameBits(run, GRAPH_VECTORS.get(op.name))).toBe(true);
  }
});
