import { expect, test } from 'vitest';
import { findTerms } from './find-terms';

const terms = (text: string) => findTerms(text).flatMap(({ text: found, term }) => (term ? [[found, term]] : []));

test('finds each term once, also in the plural and with a capital', () => {
  expect(
    terms('Round 2 of 6, reduce-scatter of bucket 0: every rank sends one chunk; ranks wait in this round'),
  ).toEqual([
    ['Round', 'round'],
    ['reduce-scatter', 'reduce-scatter'],
    ['bucket', 'bucket'],
    ['rank', 'rank'],
    ['chunk', 'chunk'],
  ]);
  expect(terms('optimizer.step(): all four ranks update their weights')).toEqual([
    ['optimizer.step()', 'optimizer.step()'],
    ['ranks', 'rank'],
  ]);
});

test('ignores words that only contain a term, and terms found before', () => {
  expect(terms('loss.backward() and DataLoaders, crank, rank-0, BCEWithLogitsLoss')).toEqual([
    ['DataLoaders', 'DataLoader'],
  ]);
  expect(findTerms('a rank', new Set(['rank']))).toEqual([{ text: 'a rank' }]);
});

test('loses no letter', () => {
  const text = 'Gather: all other replicas send their outputs to cuda:0';
  expect(
    findTerms(text)
      .map((piece) => piece.text)
      .join(''),
  ).toBe(text);
});
