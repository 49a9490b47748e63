import { expect, test } from 'vitest';
import { marked } from './marked-answer';

test('a right answer is one stretch', () => {
  expect(marked('123', '123')).toEqual([{ text: '123', wrong: false, place: 0 }]);
});

test('differences are marked apart from agreement, and surplus text is wrong', () => {
  expect(marked('1234', '1994')).toEqual([
    { text: '1', wrong: false, place: 0 },
    { text: '99', wrong: true, place: 1 },
    { text: '4', wrong: false, place: 3 },
  ]);
  expect(marked('1', '12').at(-1)).toEqual({ text: '2', wrong: true, place: 1 });
  expect(marked('12', '')).toEqual([]);
});
