/**
 * Part of `npm run check`: checks that comments, docs, kernels and Python are at most 120 columns wide. The formatter
 * wraps other code. In documents, tables, code blocks and lines that consist of one long word (a link) may be wider.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { wideLines } from './wide-lines.mjs';

const root = path.join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|tsx|mjs|cjs|css|wgsl|py|md)$/.test(file) && !file.includes('/fixtures/'))
  .filter((file) => existsSync(path.join(root, file)));
if (files.length < 100) throw new Error(`only ${files.length} files were looked at`);

const found = files.flatMap((file) =>
  wideLines(file, readFileSync(path.join(root, file), 'utf8')).map((line) => `${file}:${line}`),
);
for (const place of found) console.error(`wider than 120 columns: ${place}`);
console.log(`${files.length} files looked at, ${found.length} lines too wide`);
process.exit(found.length === 0 ? 0 : 1);
