import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff, nearChanges, partOf } from './line-diff';

const printed = (from: readonly string[], to: readonly string[]) =>
  lineDiff(from, to).map(({ kind, text }) => `${kind === 'same' ? ' ' : kind === 'in' ? '+' : '-'}${text}`);

test('the old version of a replaced line comes before the new version', () => {
  expect(printed(['a', 'b', 'c'], ['a', 'x', 'c'])).toEqual([' a', '-b', '+x', ' c']);
  expect(printed([], ['a'])).toEqual(['+a']);
  expect(printed(['a'], [])).toEqual(['-a']);
});

test('without the new lines it is the old script, without the old ones the new script', () => {
  const script = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
  void fc.assert(
    fc.property(script, script, (from, to) => {
      const lines = lineDiff(from, to);
      expect(lines.filter(({ kind }) => kind !== 'in').map(({ text }) => text)).toEqual(from);
      expect(lines.filter(({ kind }) => kind !== 'out').map(({ text }) => text)).toEqual(to);
    }),
  );
});

test('lines that are far from every change become one line of dots', () => {
  const same = (text: string) => ({ text, kind: 'same' as const });
  const lines = [
    same('1'),
    same('  2'),
    same('3'),
    { text: 'x', kind: 'in' as const },
    same('4'),
    same('  5'),
    same('6'),
  ];
  expect(nearChanges(lines, 1).map(({ text }) => text)).toEqual(['# ...', '3', 'x', '4', '  # ...']);
});

test('a part goes from the first line with some words to the next line with others; words that no line has throw', () => {
  const lines = lineDiff(['end', 'begin', 'old', 'end', 'more'], ['end', 'begin', 'new', 'end', 'more']);
  expect(partOf(lines, 'beg', 'end').map(({ text }) => text)).toEqual(['begin', 'old', 'new', 'end']);
  expect(partOf(lines)).toEqual(lines);
  expect(() => partOf(lines, 'absent')).toThrow('absent');
  expect(() => partOf(lines, 'more', 'begin')).toThrow('begin');
});
