/** What is in the buffers, by hand; a real step is held against its weights in training/trace.test.ts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ContentsCursor, contentsAt } from './contents';
import { summedAt } from './sums';
import { captured, makeTrace, slice, transfer } from './testing/make-trace';

const trace = makeTrace(
  [
    { name: 'ddp/pack', device: 0, writes: ['bucket0'], captured: [captured('bucket0', [1, 2, 3, 4])] },
    { name: 'ddp/pack', device: 1, writes: ['bucket0'], captured: [captured('bucket0', [10, 20, 30, 40])] },
    ...transfer([2, 3], 0, 1, {
      slice: slice('bucket0', 2, 2),
      apply: 'add',
      collective: { seq: 0, op: 'allReduce', algorithm: 'ring', summed: 2 },
      captured: [captured('bucket0', [33, 44], 2)],
    }),
    { name: 'optim/sgd', device: 1, writes: ['w'], captured: [captured('w', [7, 8])] },
  ],
  { initial: [{ device: 1, captured: [captured('w', [5, 6])] }] },
);

test('a buffer is empty until it is computed, then holds what was written last', () => {
  const cursor = new ContentsCursor(trace);
  expect(cursor.content(0, 'bucket0')).toBeUndefined();
  expect(cursor.content(1, 'w')).toEqual({ values: Float32Array.of(5, 6), event: undefined });
  cursor.seek(2);
  expect(cursor.content(1, 'bucket0')).toEqual({ values: Float32Array.of(10, 20, 30, 40), event: 1 });
  cursor.seek(3);
  expect(cursor.content(1, 'bucket0')).toEqual({ values: Float32Array.of(10, 20, 33, 44), event: 3 });
  expect(cursor.content(0, 'bucket0')?.values).toEqual(Float32Array.of(1, 2, 3, 4));
  cursor.seek(4);
  expect(cursor.content(1, 'w')).toEqual({ values: Float32Array.of(7, 8), event: 4 });
  expect(cursor.seek(0).content(1, 'w')?.event).toBeUndefined();
  expect(cursor.content(1, 'bucket0')).toBeUndefined();
  expect(cursor.content(2, 'w')).toBeUndefined();
});

test('the array stays the same one until somebody writes', () => {
  const cursor = new ContentsCursor(trace).seek(1);
  const before = cursor.content(1, 'bucket0');
  expect(cursor.seek(2).content(1, 'bucket0')).toBe(before);
  expect(cursor.seek(3).content(1, 'bucket0')).not.toBe(before);
  expect(before?.values).toEqual(Float32Array.of(10, 20, 30, 40));
});

test('elements after an uncaptured range are known, elements in the range are not', () => {
  const holes = makeTrace([
    { writes: ['b'], captured: [captured('b', [1, 2])] },
    { writes: ['b'], captured: [captured('b', [5, 6], 4)] },
  ]);
  const cursor = new ContentsCursor(holes).seek(1);
  expect([...(cursor.content(0, 'b')?.values ?? [])]).toEqual([1, 2, Number.NaN, Number.NaN, 5, 6]);
  expect(cursor.values(0, slice('b', 0, 6))).toEqual(Float32Array.of(1, 2));
  expect(cursor.values(0, slice('b', 2, 2))).toBeUndefined();
  expect(cursor.values(0, slice('b', 4, 9))).toEqual(Float32Array.of(5, 6));
});

test('of how many ranks a stretch holds the sum', () => {
  const [front, back] = [slice('bucket0', 0, 2), slice('bucket0', 2, 2)];
  expect([0, 1, 3].map((at) => summedAt(trace, at, 1, back))).toEqual([0, 1, 2]);
  expect(summedAt(trace, 4, 1, front)).toBe(1);
  expect(summedAt(trace, 4, 0, back)).toBe(1);
});

const write = fc.record({
  device: fc.integer({ min: 0, max: 1 }),
  buffer: fc.constantFrom('a', 'b'),
  offset: fc.integer({ min: 0, max: 6 }),
  values: fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 5 }),
});

test('any movement of the cursor gives the contents of the plain fold', () =>
  fc.assert(
    fc.property(fc.array(write, { maxLength: 12 }), fc.array(fc.integer({ min: -1, max: 14 })), (writes, walk) => {
      const random = makeTrace(
        writes.map(({ device, buffer, offset, values }) => ({
          device,
          writes: [buffer],
          captured: [captured(buffer, values, offset)],
        })),
      );
      const cursor = new ContentsCursor(random);
      for (const place of walk) {
        const plain = contentsAt(random, place);
        cursor.seek(place);
        for (const device of [0, 1]) {
          for (const buffer of ['a', 'b']) {
            expect(cursor.content(device, buffer)).toEqual(plain.get(device)?.get(buffer));
          }
        }
      }
    }),
  ));
