import { expect, test } from 'vitest';
import { repeatedKey } from './repeated-key';

test.each([
  ['{"steps": 1, "steps": 2}', { name: 'steps', line: 1 }],
  ['{\n"a": {"b": 1,\n "b": 2}}', { name: 'b', line: 3 }],
  ['{"a": 1, "\\u0061": 2}', { name: 'a', line: 1 }],
  ['[{"a": 1}, {"a": 1, "b": [], "a": "}"}]', { name: 'a', line: 1 }],
  ['{"__proto__": 1, "__proto__": 2}', { name: '__proto__', line: 1 }],
  ['{"a": {"a": {"a": 1}}, "b": ["a", "a", "\\"a\\": 1, \\"a\\": 2"]}', undefined],
  ['{"a": "a\\\\", "b": 1, "c": "}, \\"b\\""}', undefined],
  ['3', undefined],
])('%s', (text, found) => {
  JSON.parse(text);
  expect(repeatedKey(text)).toEqual(found);
});

test('long texts, of many names and of many quotes', () => {
  const many = `{${Array.from({ length: 50_000 }, (_, i) => `"key${i}": "${'\\n'.repeat(10)}"`).join(',')}, "key7": 1}`;
  expect(repeatedKey(many)).toEqual({ name: 'key7', line: 1 });
  expect(repeatedKey(`{"a": "${'\\"'.repeat(1_000_000)}"}`)).toBeUndefined();
});
