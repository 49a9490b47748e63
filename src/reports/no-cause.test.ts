import { expect, test } from 'vitest';
import { compareReports } from './compare-reports';
import { comparisonText } from './comparison-text';
import { readReport } from './read-report';

const said = (a: object | undefined, b: object | undefined): string =>
  comparisonText(
    compareReports(readReport({ config: a, losses: [0.7] }, 'A'), readReport({ config: b, losses: [0.5] }, 'B')),
  );

test('if no known mistake is found, the settings that differ are named', () => {
  const text = said({ batchSize: 64, accumulate: 1 }, { batchSize: 32, accumulate: 1 });
  expect(text).toContain('The two reports show no known cause, but these settings differ: batchSize.');
});

test('of many settings some are named; without a difference there are none', () => {
  const [a, b] = [1, 2].map((n) => Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, n])));
  expect(said(a, b)).toContain('but these settings differ: a, b, c, d and 2 more.');
  expect(said(undefined, undefined)).toContain('The two reports show no known cause.');
});
