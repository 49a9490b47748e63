/**
 * What test cases are made of: shapes of three sizes, random inputs, and the form of a case. The cases themselves are
 * in families/.
 */

import { elements, type HostArray, type Shape } from '../../tensor/shape';
import type { Attrs, TensorType } from '../op';

export interface CaseInput {
  readonly type: TensorType;
  readonly data: HostArray;
  /** Whether the operator has a gradient for it. */
  readonly wrt: boolean;
}

export interface OpCase {
  readonly op: string;
  readonly attrs: Attrs;
  readonly inputs: readonly CaseInput[];
}

export type Sizes = readonly [number, number, number];
export type Maker = (sizes: Sizes, random: () => number) => OpCase;

/** Small fast generator of test data (xorshift); nothing to do with PyTorch's. */
export function randomSource(seed: number): () => number {
  let s = (seed * 2654435761 + 88675123) >>> 0 || 1;
  return () => {
    s ^= s << 13;
    s ^= s >>> 17;
    s ^= s << 5;
    s >>>= 0;
    return s / 2 ** 32;
  };
}

/** Values in (-2, 2) that keep 0.01 away from 0, where ReLU has no slope to difference. */
export function reals(shape: Shape, random: () => number, wrt = true): CaseInput {
  const data = Float32Array.from({ length: elements(shape) }, () => {
    const v = random() * 4 - 2;
    return v < 0 ? v - 0.01 : v + 0.01;
  });
  return { type: { shape, dtype: 'f32' }, data, wrt };
}

export const unary =
  (op: string, attrs: Attrs = {}): Maker =>
  ([a, b], random) => ({ op, attrs, inputs: [reals([a, b], random)] });

/**
 * The cases with sizes of at most 6, 6 and 8: three dimensions of more are too many elements to difference one by one.
 */
export const small = (cases: Readonly<Record<string, Maker>>): Readonly<Record<string, Maker>> =>
  Object.fromEntries(
    Object.entries(cases).map(([name, make]): [string, Maker] => [
      name,
      ([a, b, c], random) => make([Math.min(a, 6), Math.min(b, 6), Math.min(c, 8)], random),
    ]),
  );
