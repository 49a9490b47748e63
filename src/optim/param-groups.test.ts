/** Which parameters a pattern takes: stars stand for any text, everything else for itself, however long or many. */
import { expect, test } from 'vitest';
import { groupOf } from './param-groups';

test.each([
  ['0.weight', '0.weight', true],
  ['0.weight', '*.bias', false],
  ['0.bias', '*.bias', true],
  ['blocks.0.fc1.weight', 'blocks.*', true],
  ['blocks.0.fc1.weight', 'blocks.*.fc1.*', true],
  ['blocks.0.fc1.weight', '*fc1*fc1*', false],
  ['0.weight', '*', true],
  ['0xweight', '0.weight', false],
  ['aa', 'a*a', true],
  ['a', 'a*a', false],
  ['a', '**a**', true],
  ['a(b', 'a(*', true],
  ['0.weight', 'x'.repeat(70_000), false],
  ['a'.repeat(5000), `${'*a'.repeat(60)}*b`, false],
])('%s by %.20s', (name, match, isIn) => {
  expect(groupOf(name, [{ match }])).toBe(isIn ? 1 : 0);
});
