/** Which code the check finds, and which code it ignores. */
import ts from 'typescript';
import { expect, test } from 'vitest';
import { moduleState } from './module-state.mjs';

const FILE = '/one.ts';

/** The lines in which the check finds state if this text is a module. */
function linesOf(source: string): readonly number[] {
  const host = ts.createCompilerHost({});
  const program = ts.createProgram(
    [FILE],
    { target: ts.ScriptTarget.ES2022, strict: true, types: [] },
    {
      ...host,
      fileExists: (name) => name === FILE || host.fileExists(name),
      getSourceFile: (name, target) =>
        name === FILE ? ts.createSourceFile(name, source, target) : host.getSourceFile(name, target),
    },
  );
  return moduleState(program, (name) => name === FILE).map(({ line }) => line);
}

test('finds a let, collections that are filled or written, and instances of classes', () => {
  const source = `
let count = 0;
const cache = new Map<string, number>();
const seen: string[] = [];
const word = new Uint32Array(1);
const memo = new WeakMap<object, string>();
const table = new Map([['a', 1]]);
const product = Product.create();
class Product {
  static made = 0;
  static readonly all: Product[] = [];
  static create() { return new Product(); }
}
const settings = { rate: 1 };
const float = new Float32Array(word.buffer);
export function note(a: number) {
  count++;
  table.set('b', a);
  word[0] = a;
  settings.rate = a;
  return float[0]++;
}
export const x = [cache, seen, memo, product];
`;
  expect(linesOf(source)).toEqual([2, 3, 4, 5, 6, 7, 8, 10, 11, 14, 15]);
});

test('ignores tables, texts, functions, errors and objects that a function creates', () => {
  const source = `
const NAMES = ['a', 'b'];
const KNOWN = new Set(NAMES);
const CODES: ReadonlyMap<string, number> = new Map([['a', 1]]);
const TABLE = Uint32Array.from({ length: 256 }, (_, n) => n);
const PATTERN = /a/;
class Refused extends Error {}
const REFUSED = new Refused('no');
const SIZES = { small: 1, large: 2 };
export class Counter { private count = 0; next() { return this.count++; } }
export const make = () => { const made = new Map<string, number>(); let n = 0; return () => made.set('a', n++); };
export const x = [KNOWN, CODES, TABLE, PATTERN, REFUSED, SIZES];
`;
  expect(linesOf(source)).toEqual([]);
});
