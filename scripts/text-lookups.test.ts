/** Which code the check finds, and which code it ignores. */
import ts from 'typescript';
import { expect, test } from 'vitest';
import { textLookups } from './text-lookups.mjs';

const SOURCE = `
declare const table: { [name: string]: number };
declare const text: string;
declare const known: 'a' | 'b';
declare const row: number;
declare const maybe: string | number;
declare const list: number[];
table[text];
table[text + text];
table[maybe];
text in table;
const { [text]: value } = table;
function of<K extends string>(key: K) { return table[key]; }
table[known];
list[row];
known in table;
const { [text]: _, ...rest } = table;
table['constant'];
`;

test('finds lookups by text; ignores known words, numbers and constants', () => {
  const host = ts.createCompilerHost({});
  const file = '/one.ts';
  const program = ts.createProgram(
    [file],
    { noLib: true, strict: true },
    {
      ...host,
      fileExists: (name) => name === file,
      readFile: () => SOURCE,
      getSourceFile: (name, target) => (name === file ? ts.createSourceFile(name, SOURCE, target) : undefined),
    },
  );
  expect(textLookups(program, (name) => name === file).map(({ line, text }) => `${line}: ${text}`)).toEqual([
    '8: table[text]',
    '9: table[text + text]',
    '10: table[maybe]',
    '11: text in table',
    '12: [text]: value',
    '13: table[key]',
  ]);
});
