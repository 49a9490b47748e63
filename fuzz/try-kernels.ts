/** A WebAssembly kernel on any shape, with special values anywhere, gives the bits of the plain kernel. */
import fc from 'fast-check';
import { at } from '../src/base/invariant';
import { randomSource } from '../src/graph/testing/case-tools';
import { expectSameBitsOfCase, SPECIAL_VALUES, VECTOR_CASES } from '../src/graph/vectors/testing/cases';

export interface AnyKernel {
  readonly name: string;
  readonly sizes: readonly [number, number, number];
  readonly seed: number;
  /** Index of a special value; absent: no special value. */
  readonly special?: number | undefined;
}

const size = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 20 }) }, fc.integer({ min: 21, max: 70 }));

export const anyKernel: fc.Arbitrary<AnyKernel> = fc.record({
  name: fc.constantFrom(...VECTOR_CASES.map(([name]) => name)),
  sizes: fc.tuple(size, size, size).filter(([a, b, c]) => a * b * c <= 20_000),
  seed: fc.nat(),
  special: fc.option(fc.nat({ max: SPECIAL_VALUES.length - 1 }), { nil: undefined }),
});

export async function tryKernel({ name, sizes, seed, special }: AnyKernel): Promise<void> {
  const [, make] = at(
    VECTOR_CASES.filter(([own]) => own === name),
    0,
  );
  const random = randomSource(seed);
  expectSameBitsOfCase(make(sizes, random), random, (data) => {
    if (special !== undefined) data[Math.floor(random() * data.length)] = at(SPECIAL_VALUES, special);
  });
}
