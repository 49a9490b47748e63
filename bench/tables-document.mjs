/** Writes the text of a table between the table's marks in docs/benchmarks.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../scripts/install.mjs';

export const DOCUMENT = path.join(root, 'docs', 'benchmarks.md');

/** @param {string} id */
export const beginOf = (id) => `<!-- table ${id}: npm run bench -- --tables ${id} --write -->`;
/** @param {string} id */
export const endOf = (id) => `<!-- end of table ${id} -->`;

/** @param {string} document @param {string} id @param {string} text */
export function withTable(document, id, text) {
  const begin = document.indexOf(beginOf(id));
  const end = document.indexOf(endOf(id), begin);
  if (begin < 0 || end < 0) throw new Error(`The document has no lines ${beginOf(id)} and ${endOf(id)}.`);
  return `${document.slice(0, begin + beginOf(id).length)}\n\n${folded(text.trim())}\n\n${document.slice(end)}`;
}

const WIDTH = 120;

/** Lines of at most WIDTH characters; rows of tables stay as they are. @param {string} text */
const folded = (text) =>
  text
    .split('\n')
    .map((line) =>
      line.startsWith('|') ? line : line.replace(new RegExp(`(.{1,${WIDTH}})(?: +|$)`, 'g'), '$1\n').trimEnd(),
    )
    .join('\n');

/** @param {string} id @param {string} text */
export function writeTable(id, text) {
  writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), id, text));
}
