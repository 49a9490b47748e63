import { describe, expect, test } from 'vitest';
import { verdictOn, verdictOnChoice } from './verdict';

describe('verdictOn', () => {
  test('exactly', () => expect(verdictOn(1428, 1428, 'bytes')).toBe('Exactly.'));
  test('nearly', () => expect(verdictOn(1430, 1428, 'bytes')).toBe('As good as exact: 2 B too high.'));
  test('too high', () =>
    expect(verdictOn(2450, 1428, 'bytes')).toBe('You were 1,022 B too high, by 72 % of the answer.'));
  test('far too high', () => expect(verdictOn(40, 10, 'count')).toBe('You were 30 too high: 4 times the answer.'));
  test('too low', () => expect(verdictOn(5, 10, 'count')).toBe('You were 5 too low, by 50 % of the answer.'));
  test('the distance of two percentages is in percentage points', () => {
    expect(verdictOn(0.5, 0.8, 'percent')).toBe('You were 30 percentage points too low.');
    expect(verdictOn(0.15, 1 / 9, 'percent')).toBe('You were 3.9 percentage points too high.');
  });
  test('where the answer is nothing', () => expect(verdictOn(3, 0, 'count')).toBe('You were 3 too high.'));
});

test('of a choice', () => {
  expect(verdictOnChoice(1, 1)).toBe('You were right.');
  expect(verdictOnChoice(0, 1)).toBe('The run gives another answer.');
});
