/** Which GPUBuffers share a dispatch: at most six, and long ones only if whole vectors are moved. */
import { expect, it } from 'vitest';
import { inManyBuffers } from './in-many-buffers';
import { MemoryLayout } from './memory-layout';

const item = (key: string, length: number, offset = 0) => ({ key, stretches: [{ at: [{ offset }], length }] });
const groupsOf = (items: readonly ReturnType<typeof item>[]) =>
  inManyBuffers(items, ({ key }) => key || undefined).map(({ items: own, vectors }) => [
    own.map(({ stretches }) => stretches[0]?.length),
    vectors,
  ]);

it('puts at most six buffers with the same key together', () => {
  const seven = [4, 8, 12, 16, 20, 24, 28].map((length) => item('a', length));
  expect(groupsOf([item('b', 4), ...seven, item('b', 8), item('', 4), item('', 4)])).toEqual([
    [[4, 8], 1],
    [[4, 8, 12, 16, 20, 24], 1],
    [[28], 1],
    [[4], 1],
    [[4], 1],
  ]);
});

it('moves element by element where all is short, and keeps long buffers apart that are not whole vectors', () => {
  expect(groupsOf([item('a', 4), item('a', 3), item('a', 8, 2)])).toEqual([[[4, 3, 8], 0]]);
  const long = 40_000;
  expect(groupsOf([item('a', long), item('a', 3), item('a', 8), item('a', 5)])).toEqual([
    [[long, 8], 1],
    [[3, 5], 0],
  ]);
  expect(groupsOf([item('a', long), item('a', long + 1), item('a', 3)])).toEqual([
    [[long], 1],
    [[long + 1], 0],
    [[3], 0],
  ]);
});

it('fills unused bindings with ranges of one buffer that do not overlap', () => {
  const layout = new MemoryLayout([], [], { maxBufferSize: 2 ** 28, maxStorageBufferBindingSize: 2 ** 27 });
  expect(layout.spares(0)).toEqual([]);
  expect(layout.buffers).toEqual([]);
  const ranges = [layout.spares(4), layout.spares(5)];
  expect(layout.buffers.length).toBe(1);
  for (const list of ranges) {
    expect(new Set(list.map(({ buffer }) => buffer)).size).toBe(1);
    list.slice(1).forEach(({ offset }, i) => {
      expect(offset).toBeGreaterThanOrEqual((list[i]?.offset ?? 0) + (list[i]?.size ?? 0));
    });
  }
});
