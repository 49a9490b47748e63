/** docs/embedding.md lists what the code has: every part, whether it can be locked, every panel, every key. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { STATE_KEYS } from '../permalink/link-state';
import { PAGE_PARTS, PANELS } from '../permalink/page-parts';
import { VIEW_KEYS } from '../permalink/permalink-view';
import { VIEW_NAMES } from '../result/views/views-for';
import { embedSnippet, HEIGHT_SCRIPT } from './snippet';

const doc = readFileSync(new URL('../../../docs/embedding.md', import.meta.url), 'utf8');

/** The rows of the table between two comments, without its head. */
function rowsOf(name: string): readonly (readonly string[])[] {
  const table = doc.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? '';
  const lines = table.trim().split('\n').slice(2);
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('every part that can be hidden, and whether it can be locked', () => {
  const parts = Object.entries(PAGE_PARTS).map(([part, { words, changes }]) => [
    `\`${part}\``,
    words,
    changes ? 'yes' : '',
  ]);
  expect(rowsOf('parts')).toEqual(parts);
});

test('every panel that can be open', () => {
  const rows = rowsOf('panels');
  expect(rows.map(([name = '']) => name.replaceAll('`', ''))).toEqual(PANELS);
  expect(rows.filter(([, words = '']) => words === '')).toEqual([]);
});

test('every key of a link that is about the page, and every view', () => {
  const missing = [...STATE_KEYS, ...VIEW_KEYS].filter((key) => !new RegExp(`[\`#&]${key}=`).test(doc));
  expect(missing).toEqual([]);
  expect(Object.keys(VIEW_NAMES).filter((name) => !doc.includes(`\`${name}\``))).toEqual([]);
});

test('the snippet is the same as in the dialog', () => {
  expect(doc).toContain(HEIGHT_SCRIPT);
  const href = 'https://example.org/lockstep/#seed=0&embed=1&hide=bar,setup,result,code';
  const plain = (text: string) => text.replaceAll(/\s+/g, ' ');
  expect(plain(doc)).toContain(plain(embedSnippet(href, 'Lockstep: data-parallel training, step by step')));
});
