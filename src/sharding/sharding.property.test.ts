/**
 * merge(slice) is the identity, bit for bit, whatever the shape, the placements and the mesh; sums add up; pieces that
 * do not cover a tensor are refused; and torch's own cuts of odd sizes come out.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at } from '../base/invariant';
import { elements } from '../tensor/shape';
import { flatPlacements } from './flat-placements';
import { type Cut, pieceOf, pieceShape, runsOf, wholeOf } from './piece';
import { flat, PARTIAL, type Placement, REPLICATE, shard } from './placement';
import { distributed, ownedBy, pieceOn, placed, replicated, wholeFrom } from './shard-map';
import { merge, slice } from './slice';

const shapes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });
/** Negative zero, infinities and NaNs among them: what is put together must have the same bits. */
const odd = [-0, 0, 1, -1.5, Number.POSITIVE_INFINITY, Number.NaN, 1e-40, 3.4e38];
const valuesOf = (shape: readonly number[]): Float32Array =>
  Float32Array.from({ length: elements(shape) }, (_, i) => (i % 5 === 4 ? at(odd, i % odd.length) : i + 0.25));
const bits = (values: Float32Array): Uint32Array => new Uint32Array(Float32Array.from(values).buffer);

const placementFor = (rank: number): fc.Arbitrary<Placement> =>
  fc.oneof(
    fc.constant(REPLICATE),
    fc.constant(PARTIAL),
    fc.tuple(fc.nat({ max: rank - 1 }), fc.integer({ min: 1, max: 3 })).map(([dim, factor]) => shard(dim, factor)),
  );
/** A mesh of one to three axes with a placement for each, on a shape. */
const meshes = shapes.chain((shape) =>
  fc.record({
    shape: fc.constant(shape),
    axes: fc.array(fc.record({ size: fc.integer({ min: 1, max: 5 }), placement: placementFor(shape.length) }), {
      minLength: 1,
      maxLength: 3,
    }),
  }),
);
type Axis = { readonly size: number; readonly placement: Placement };

/** The cuts of every device, tensor axis innermost. */
function coordinates([axis, ...rest]: readonly Axis[]): readonly (readonly Cut[])[] {
  if (!axis) return [[]];
  const inner = coordinates(rest);
  return Array.from({ length: axis.size }, (_, index) => index).flatMap((index) =>
    inner.map((cuts) => [{ placement: axis.placement, index, count: axis.size }, ...cuts]),
  );
}

test('merge(slice) is the identity over meshes of up to three axes', () => {
  const property = fc.property(meshes, fc.boolean(), ({ shape, axes }, backwards) => {
    const whole = valuesOf(shape);
    const parts = coordinates(axes).map((cuts) => {
      const piece = pieceOf(shape, cuts);
      const data = slice(whole, shape, piece);
      expect(data.length).toBe(elements(pieceShape(piece)));
      return { piece, data };
    });
    const again = merge(shape, backwards ? parts.toReversed() : parts);
    expect(bits(again)).toEqual(bits(whole));
  });
  void fc.assert(property);
});

test('token ids and counters are cut alike', () => {
  const whole = Int32Array.from({ length: 10 }, (_, i) => i);
  const { owners } = placed([10], shard(0), [0, 1, 2, 3]);
  const parts = owners.map(({ piece }) => ({ piece, data: slice(whole, [10], piece) }));
  expect(parts.map(({ data }) => [...data])).toEqual([[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]);
  expect(merge([10], parts)).toEqual(whole);
});

test("Shard cuts as torch.chunk does, so that the last devices may hold nothing (torch's own sizes)", () => {
  const rows = (n: number, count: number) =>
    placed(
      [n, 2],
      shard(0),
      Array.from({ length: count }, (_, d) => d),
    ).owners.map(({ piece }) => pieceShape(piece)[0]);
  expect(rows(10, 4)).toEqual([3, 3, 3, 1]);
  expect(rows(10, 3)).toEqual([4, 4, 2]);
  expect(rows(128, 3)).toEqual([43, 43, 42]);
  expect(rows(5, 4)).toEqual([2, 2, 1]);
  expect(rows(2, 4)).toEqual([1, 1]);
});

test('a split factor takes a part of every block: q, k and v of one head each', () => {
  const piece = (index: number) => pieceOf([12, 2], [{ placement: shard(0, 3), index, count: 2 }]);
  expect(at(piece(0).ranges, 0)).toEqual([
    { start: 0, length: 2 },
    { start: 4, length: 2 },
    { start: 8, length: 2 },
  ]);
  expect(runsOf([12, 2], piece(1))).toEqual([
    { start: 4, length: 4 },
    { start: 12, length: 4 },
    { start: 20, length: 4 },
  ]);
});

test('a dimension that is cut on two axes of the mesh: first by the outer, then within by the inner', () => {
  const rows = (outer: number, inner: number) =>
    pieceOf(
      [8, 1],
      [
        { placement: shard(0), index: outer, count: 2 },
        { placement: shard(0), index: inner, count: 2 },
      ],
    ).ranges[0];
  expect([rows(0, 0), rows(0, 1), rows(1, 0), rows(1, 1)]).toEqual([0, 2, 4, 6].map((start) => [{ start, length: 2 }]));
});

test('one flat parameter of several tensors: each rank has an equal run of all their elements', () => {
  void fc.assert(
    fc.property(fc.array(shapes, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 6 }), (list, count) => {
      const sizes = list.map(elements);
      const wholes = list.map(valuesOf);
      const ranks = Array.from({ length: count }, (_, rank) => flatPlacements(sizes, rank, count));
      list.forEach((shape, k) => {
        const parts = ranks.map((placements, index) => {
          const piece = pieceOf(shape, [{ placement: at(placements, k), index, count }]);
          return { piece, data: slice(at(wholes, k), shape, piece) };
        });
        expect(bits(merge(shape, parts))).toEqual(bits(at(wholes, k)));
      });
      const perRank = ranks.map((own) => own.reduce((n, { length }) => n + length, 0));
      const size = Math.ceil(sizes.reduce((a, b) => a + b) / count);
      expect(Math.max(...perRank)).toBeLessThanOrEqual(size);
      expect(perRank[0]).toBe(
        Math.min(
          size,
          sizes.reduce((a, b) => a + b),
        ),
      );
    }),
  );
});

describe('Partial', () => {
  const addends = placed([3], PARTIAL, [0, 1, 2]).owners;
  test('merges to the sum, in the order of the devices', () => {
    const data = [Float32Array.of(1e8, 1, -0), Float32Array.of(-1e8, 2, -0), Float32Array.of(0.5, 3, -0)];
    const sum = merge(
      [3],
      addends.map(({ piece }, d) => ({ piece, data: at(data, d) })),
    );
    expect([...sum]).toEqual([0.5, 6, -0]);
    expect(at(data, 0)[0]).toBe(1e8);
  });
  test('the first device gets the value, and the other devices get zeros', () => {
    const parts = addends.map(({ piece }) => slice(Float32Array.of(-0, 2, 3), [3], piece));
    expect(parts.map((p) => [...p])).toEqual([
      [-0, 2, 3],
      [-0, -0, -0],
      [-0, -0, -0],
    ]);
  });
  test('replicas of an addend are summed once', () => {
    const two = [PARTIAL, REPLICATE].map((placement) => ({ size: 2, placement }));
    const parts = coordinates(two).map((cuts, d) => ({ piece: pieceOf([1], cuts), data: Float32Array.of(d + 1) }));
    expect([...merge([1], parts)]).toEqual([1 + 3]);
  });
});

describe('what is refused', () => {
  const half = (index: number) => pieceOf([4], [{ placement: shard(0), index, count: 2 }]);
  test('a piece that no device holds', () => {
    expect(() => merge([4], [{ piece: half(0), data: new Float32Array(2) }])).toThrow(
      'no device holds 2 of its elements',
    );
    expect(() => merge([4], [])).toThrow('no device holds a part of it');
  });
  test('two different pieces with the same element', () => {
    const other = pieceOf([4], [{ placement: flat(1, 3), index: 0, count: 1 }]);
    const parts = [half(0), other].map((piece) => ({ piece, data: new Float32Array(elements(pieceShape(piece))) }));
    expect(() => merge([4], parts)).toThrow('two pieces overlap');
  });
  test('data of another length', () => {
    expect(() => merge([4], [{ piece: half(0), data: new Float32Array(3) }])).toThrow('3 elements were given for 2');
    expect(() => slice(new Float32Array(3), [4], half(0))).toThrow('3 elements were given for 4');
  });
  test('a dimension that the tensor does not have; a run outside', () => {
    expect(() => placed([4], shard(1), [0, 1])).toThrow('Sharding dim 1 of a tensor with shape [4]');
    expect(() => pieceOf([4], [{ placement: flat(2, 3), index: 0, count: 1 }])).toThrow('does not lie within 4');
  });
});

describe('layouts', () => {
  const data = (d: number) => Float32Array.of(d, d);
  test('of replicas the first owner counts; copies never do', () => {
    expect([...wholeFrom('w', replicated([2], [1, 0]), data)]).toEqual([1, 1]);
    expect([...wholeFrom('w', ownedBy([2], 2, [0, 1]), data)]).toEqual([2, 2]);
    expect(pieceOn(ownedBy([2], 2, [0]), 0)).toEqual(wholeOf([2]));
    expect(pieceOn(ownedBy([2], 2, [0]), 1)).toBeUndefined();
  });
  test('an owner without its part is named', () => {
    const layout = distributed(
      [2],
      [0, 1].map((device) => ({ device, cuts: [{ placement: shard(0), index: device, count: 2 }] })),
    );
    expect(() => wholeFrom('w', layout, () => undefined)).toThrow('cuda:0 does not hold its piece of w.');
  });
});
