/**
 * Values that no user intends but somebody may send: inherited names, extremes, other types, very long values, very
 * deep values.
 */
import fc from 'fast-check';

export const ODD_NAMES = [
  'constructor',
  'toString',
  '__proto__',
  'hasOwnProperty',
  'valueOf',
  'length',
  'then',
  'type',
  '',
  ' ',
  '0',
  '-1',
  'Steps',
  'batch_size',
  '%',
  '%E0%A4%A',
  'ключ',
  '💥',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  "'",
  '"',
] as const;

export const oddName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...ODD_NAMES) },
  { weight: 2, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(300, 70_000).map((n) => 'x'.repeat(n)) },
);

export const oddNumber = fc.constantFrom(
  0,
  -0,
  -1,
  1,
  1.5,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  1e-320,
  1e308,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
);

const nested = (depth: number): unknown => Array.from({ length: depth }).reduce((inner: unknown) => [inner], 1);

/** Values of any type that JSON, or a script on the page, can pass. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddNumber },
  { weight: 4, arbitrary: oddName },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], 5n, undefined) },
  { weight: 1, arbitrary: fc.constantFrom(3, 100, 5000).map(nested) },
  { weight: 1, arbitrary: fc.constantFrom(20, 20_000).map((n) => Array.from({ length: n }, (_, i) => i)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...ODD_NAMES).map((name) => JSON.parse(`{${JSON.stringify(name)}: {"a": 1}}`)),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);
