/**
 * The rules of learn/README.md that a text can be held to: length, what the reader is asked, no number that a run could
 * have given, links that lead somewhere.
 */
import { existsSync, readFileSync } from 'node:fs';
import { compile, createProcessor } from '@mdx-js/mdx';
import remarkFrontmatter from 'remark-frontmatter';
import remarkMath from 'remark-math';
import remarkMdxFrontmatter from 'remark-mdx-frontmatter';
import { describe, expect, test } from 'vitest';
import { GLOSSARY } from '../src/protocol/words/glossary';
import { CONTENTS, PATHS } from './contents';

interface Node {
  readonly type: string;
  readonly name?: string | null;
  readonly value?: string;
  readonly url?: string;
  readonly attributes?: readonly { readonly name?: string; readonly value?: unknown }[];
  readonly children?: readonly Node[];
}

const processor = createProcessor({ remarkPlugins: [remarkFrontmatter, remarkMath] });
const read = (name: string): Node =>
  processor.parse(readFileSync(new URL(`./${name}/lesson.mdx`, import.meta.url), 'utf8')) as Node;

/** Every node of the tree, but for those below one of `without`. */
function nodesOf(node: Node, without: (node: Node) => boolean = () => false): readonly Node[] {
  if (without(node)) return [];
  return [node, ...(node.children ?? []).flatMap((child) => nodesOf(child, without))];
}

const named = (tree: Node, name: string): readonly Node[] => nodesOf(tree).filter((node) => node.name === name);
/** Not prose: numbers in them are of a run, given to the reader, of code, or of a title that is cited. */
const NOT_PROSE = new Set([
  'Value',
  'Drawn',
  'Drawing',
  'Given',
  'Formula',
  'Code',
  'References',
  'Plot',
  'Figure',
  'Predict',
  'Task',
]);
const prose = (tree: Node): readonly string[] =>
  nodesOf(
    tree,
    ({ type, name }) =>
      ['yaml', 'code', 'inlineCode', 'math', 'inlineMath', 'mdxFlowExpression', 'mdxTextExpression'].includes(type) ||
      NOT_PROSE.has(name ?? ''),
  ).flatMap(({ type, value }) => (type === 'text' && value !== undefined ? [value] : []));

/** Of ranks, devices, buckets and layers: no results. */
const NAMES = /\b(?:ranks?\s|cuda:|buckets?\s|layers?\s|nodes?\s)\d+/gi;

const attribute = (node: Node, name: string): string | undefined => {
  const value = node.attributes?.find((own) => own.name === name)?.value;
  return typeof value === 'string' ? value : undefined;
};

/** In the front matter, `digits: { "PyTorch 2.7": "a version" }`: what is written as it is, and why. */
function excused(tree: Node): readonly string[] {
  const yaml = tree.children?.find(({ type }) => type === 'yaml')?.value ?? '';
  const [, block = ''] = /^digits:\n((?: {2}.+\n?)+)/m.exec(yaml) ?? [];
  return block
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, text = '', why = ''] = /^\s+(?:"(.+?)"|'(.+?)'|(.+?)):\s*(.+)$/.exec(line)?.filter(Boolean) ?? [];
      expect(why.length, `the reason for "${line.trim()}"`).toBeGreaterThan(8);
      return text;
    });
}

const written = CONTENTS.filter(({ planned }) => planned === undefined);

test('each lesson of the contents is written, and no other', () => {
  for (const { name } of written)
    for (const file of ['lesson.mdx', 'lesson.ts', 'claims.test.ts'])
      expect(existsSync(new URL(`./${name}/${file}`, import.meta.url)), `learn/${name}/${file}`).toBe(true);
  for (const { name, planned } of CONTENTS)
    if (planned !== undefined) expect(existsSync(new URL(`./${name}`, import.meta.url)), name).toBe(false);
});

test('the README says how many lessons are written', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`a course of ${written.length} lessons`);
});

test('paths and weeks lead through the course in its order', () => {
  for (const path of Object.keys(PATHS))
    expect(CONTENTS.filter(({ paths }) => paths?.some((own) => own === path)).length, path).toBeGreaterThan(0);
  const weeks = CONTENTS.flatMap(({ week }) => (week === undefined ? [] : [week]));
  expect(weeks.toSorted((a, b) => a - b)).toEqual(weeks);
  expect(new Set(weeks)).toEqual(new Set(Array.from({ length: Math.max(...weeks) }, (_, index) => index + 1)));
  for (const { name, week, planned } of CONTENTS) expect(planned ?? week, name).toBeDefined();
});

describe.each(written.filter(({ name }) => existsSync(new URL(`./${name}/lesson.mdx`, import.meta.url))))(
  '$name',
  ({ name }) => {
    const tree = read(name);

    test('the page can be built: front matter is YAML, the text is MDX', async () => {
      const text = readFileSync(new URL(`./${name}/lesson.mdx`, import.meta.url), 'utf8');
      await compile(text, { remarkPlugins: [remarkFrontmatter, remarkMdxFrontmatter, remarkMath] });
    });

    test('front matter says what readers can do afterwards, as the end of a sentence', () => {
      const yaml = tree.children?.find(({ type }) => type === 'yaml')?.value ?? '';
      const [, can = ''] = /^can: '(.*)'$/m.exec(yaml) ?? [];
      expect(can).toMatch(/^[a-z].{30,110}[^.]$/);
    });

    test('ten minutes: 600 to 1,000 words', () => {
      const words = prose(tree)
        .join(' ')
        .split(/\s+/)
        .filter((word) => /\w/.test(word));
      expect(words.length).toBeGreaterThanOrEqual(600);
      expect(words.length).toBeLessThanOrEqual(1000);
    });

    test('three to five figures, a prediction, two tasks, three questions, references', () => {
      const count = (component: string) => named(tree, component).length;
      expect(count('Figure')).toBeGreaterThanOrEqual(3);
      expect(count('Figure')).toBeLessThanOrEqual(5);
      expect(count('Predict')).toBeGreaterThanOrEqual(1);
      expect(count('Task')).toBeGreaterThanOrEqual(2);
      expect(count('Question')).toBeGreaterThanOrEqual(3);
      expect(count('References')).toBe(1);
      expect(count('Code')).toBeGreaterThanOrEqual(1);
      expect(named(tree, 'Aside').map((node) => attribute(node, 'title'))).toContain('What this page simplifies');
    });

    test('no digit that is neither a value, a formula, given nor excused', () => {
      const allowed = excused(tree);
      const left = prose(tree).flatMap((text) => {
        const rest = allowed.reduce((kept, own) => kept.replaceAll(own, ''), text).replaceAll(NAMES, '');
        return /\d/.test(rest) ? [rest.trim()] : [];
      });
      expect(left).toEqual([]);
    });

    test('links have targets; terms are in the glossary', () => {
      for (const { url } of nodesOf(tree).filter(({ type }) => type === 'link')) {
        const page = /^([a-z-]+)\.html(?:#|$)/.exec(url ?? '')?.[1];
        const inside = page !== undefined && [...written.map((entry) => entry.name), 'index', 'teach'].includes(page);
        const ofPlayground = url?.startsWith('../#') === true;
        expect(inside || ofPlayground || /^https:\/\/[^\s]+$/.test(url ?? '') || /^#[\w-]+$/.test(url ?? ''), url).toBe(
          true,
        );
      }
      for (const term of named(tree, 'Term')) expect(Object.hasOwn(GLOSSARY, attribute(term, 'id') ?? '')).toBe(true);
    });
  },
);
