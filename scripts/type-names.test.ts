import ts from 'typescript';
import { expect, test } from 'vitest';
import { sharedTypeNames } from './type-names.mjs';

const file = (name: string, text: string) => ts.createSourceFile(name, text, ts.ScriptTarget.Latest);

test('finds a type that two files export, with both files', () => {
  const sources = [
    file('a.ts', 'export interface Place { x: 1 }\nexport interface Place { y: 1 }\nexport class Only {}'),
    file('b.ts', "export type Place = 2;\nexport type { Only } from './a';"),
    file('c.ts', 'export default class Place {}'),
  ];
  expect(sharedTypeNames(sources)).toEqual([{ name: 'Place', files: ['a.ts', 'b.ts', 'c.ts'] }]);
});

test('a type that is not exported may have the name of another type', () => {
  const sources = [file('a.ts', 'interface Place {}'), file('b.ts', 'export interface Place {}\nconst Other = 1;')];
  expect(sharedTypeNames(sources)).toEqual([]);
});
