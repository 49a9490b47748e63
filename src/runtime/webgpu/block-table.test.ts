/**
 * Block tables cover every element of every stretch once, whatever the number of lanes; more workgroups than a
 * dimension allows are folded.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { at } from '../../base/invariant';
import { BLOCK_STEPS } from '../../graph/op';
import { blockTable } from './block-table';

/** (first offset, second offset, extra) of every element that the kernels would touch. */
function elementsOf(words: Uint32Array, lanes: number, workgroups: readonly number[]): string[] {
  const width = 4;
  const seen: string[] = [];
  const invocations = at(workgroups, 0) * at(workgroups, 1) * 64;
  for (let invocation = 0; invocation < invocations; invocation++) {
    const block = Math.floor(invocation / lanes);
    if (block >= words.length / width) continue;
    const [first = 0, second = 0, count = 0, extra = 0] = words.subarray(block * width, (block + 1) * width);
    expect(count).toBeLessThanOrEqual(lanes * BLOCK_STEPS);
    for (let i = invocation % lanes; i < count; i += lanes) seen.push(`${first} ${second + i} ${extra + i}`);
  }
  return seen.sort();
}

it('covers every element once', () => {
  const stretch = fc.record({
    fixed: fc.nat(1000),
    from: fc.nat(100_000),
    extra: fc.nat(100_000),
    length: fc.nat(3000),
  });
  void fc.assert(
    fc.property(fc.array(stretch, { maxLength: 6 }), (list) => {
      const table = blockTable(
        list.map(({ fixed, from, extra, length }) => ({
          at: [{ offset: fixed, fixed: true }, { offset: from }],
          length,
          extra,
        })),
      );
      const expected = list.flatMap(({ fixed, from, extra, length }) =>
        Array.from({ length }, (_, i) => `${fixed} ${from + i} ${extra + i}`),
      );
      expect(elementsOf(table.words, table.lanes, table.workgroups)).toEqual(expected.sort());
    }),
    { numRuns: 50 },
  );
});

it('puts eight small parameters into one workgroup and gives large ones 64 lanes', () => {
  const small = Array.from({ length: 8 }, (_, k) => ({ at: [{ offset: k * 64 }], length: 40 }));
  expect(blockTable(small)).toMatchObject({ lanes: 8, workgroups: [1, 1, 1] });
  expect(blockTable([{ at: [{ offset: 0 }], length: 5000 }])).toMatchObject({ lanes: 64, workgroups: [5, 1, 1] });
});

it('makes blocks longer where there are very many', () => {
  const length = 200_000;
  const { words, workgroups } = blockTable([{ at: [{ offset: 0 }], length }]);
  expect(workgroups).toEqual([Math.ceil(length / 4096), 1, 1]);
  expect(words[1]).toBe(4096);
});

it('folds what one dimension cannot hold', () => {
  const [x, y, z] = blockTable([{ at: [{ offset: 0 }], length: 70_000 * 4096 }]).workgroups;
  expect([y, z]).toEqual([2, 1]);
  expect(x).toBeLessThanOrEqual(65_535);
  expect(x * y).toBeGreaterThanOrEqual(70_000);
});
