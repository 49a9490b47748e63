import { expect, test } from 'vitest';
import { unbroken } from './unbroken';

/** The pieces between which a browser may start a new line, as far as these texts go. */
const pieces = (text: string): readonly string[] => unbroken(text).split(/ |-|(?<=\/)(?!\u2060)/);
const shown = (text: string): readonly string[] =>
  pieces(text).map((piece) => piece.replaceAll('\u00a0', ' ').replaceAll('\u2060', ''));

test('a formula is one piece, and so is a number with its unit', () => {
  expect(shown('2(N-1)/N × S; N = 4, S = 708 B')).toEqual(['2(N−1)/N × S;', 'N = 4,', 'S = 708 B']);
  expect(shown('3 (N-1)/N × P: gathered')).toEqual(['3 (N−1)/N × P:', 'gathered']);
  expect(shown('rank 0 sends (N-1) × S, the others S')).toEqual([
    'rank',
    '0',
    'sends',
    '(N−1) × S,',
    'the',
    'others',
    'S',
  ]);
});

test('words are wrapped as before', () => {
  expect(shown('all-reduced among M = 2 replicas')).toEqual(['all', 'reduced', 'among', 'M = 2', 'replicas']);
});
