/**
 * What a receive makes of two elements: order of the operands, NaN, zeros, bits of integers, and that messages carry
 * any bits.
 */
import { describe, expect, test } from 'vitest';
import { at } from '../../base/invariant';
import type { Apply } from '../../protocol/trace';
import { join, message, viewAs } from './combine';

const one = (own: number, received: number, apply: Apply): number => {
  const target = Float32Array.of(own);
  join(target, Float32Array.of(received), apply);
  return at(target, 0);
};
const whole = (own: number, received: number, apply: Apply): number => {
  const target = Int32Array.of(own);
  join(target, message(Int32Array.of(received)), apply);
  return at(target, 0);
};

describe('of float32', () => {
  test('sums and products are rounded once', () => {
    expect(one(1, 2 ** -24, 'add')).toBe(1);
    expect(one(3, 1 / 3, 'multiply')).toBe(Math.fround(3 * Math.fround(1 / 3)));
    expect(one(5, 7, 'put')).toBe(7);
  });

  test.each(['min', 'max'] as const)(
    '%s: a NaN on either side gives NaN, as torch.minimum and torch.maximum do',
    (apply) => {
      expect(one(Number.NaN, 1, apply)).toBeNaN();
      expect(one(1, Number.NaN, apply)).toBeNaN();
      expect(one(Number.NEGATIVE_INFINITY, Number.NaN, apply)).toBeNaN();
    },
  );

  test('min and max, -0 before +0 whoever has it', () => {
    expect(one(-2, 1, 'min')).toBe(-2);
    expect(one(-2, -3, 'max')).toBe(-2);
    for (const [a, b] of [
      [0, -0],
      [-0, 0],
    ] as const) {
      expect(one(a, b, 'min')).toBe(-0);
      expect(one(a, b, 'max')).toBe(0);
    }
    expect(one(1e-45, -1e-45, 'max')).toBe(Math.fround(1e-45));
    expect(one(Number.NEGATIVE_INFINITY, -3e38, 'min')).toBe(Number.NEGATIVE_INFINITY);
  });
});

test("of int32: bits, and two's complement", () => {
  expect(whole(0x0ff0, -256, 'band')).toBe(0x0f00);
  expect(whole(0x7fa00001, 2, 'bor')).toBe(0x7fa00003);
  expect(whole(-1, 0x7f800001, 'bxor')).toBe(~0x7f800001);
  expect(whole(2 ** 31 - 1, 1, 'add')).toBe(-(2 ** 31));
  expect(whole(123_456_789, 987_654_321, 'multiply')).toBe(Math.imul(123_456_789, 987_654_321));
  expect([whole(-5, 3, 'min'), whole(-5, 3, 'max')]).toEqual([-5, 3]);
});

test('a message carries any bits, of part of a buffer, and is a copy', () => {
  const words = Int32Array.of(7, 0x7f800001, -1, 16_777_217, 9);
  const sent = message(words.subarray(1, 4));
  words.fill(0);
  expect(sent).toBeInstanceOf(Float32Array);
  expect([...viewAs(words, sent)]).toEqual([0x7f800001, -1, 16_777_217]);
});
