/**
 * Part of `npm run check`: checks that comments, docs, kernels and Python are at most 120 columns wide, and that the
 * files that comments name exist. The formatter wraps other code. In documents, tables, code blocks and lines that
 * consist of one long word (a link) may be wider.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { endsOf, missingFiles } from './named-files.mjs';
import { readArguments } from './read-arguments.mjs';
import { wideLines } from './wide-lines.mjs';

readArguments({
  command: 'node scripts/columns.mjs',
  about:
    'Part of npm run check: checks that comments, docs, kernels and Python are at most 120 columns wide, and that the files that comments name exist.',
});

const root = path.join(import.meta.dirname, '..');
const all = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => existsSync(path.join(root, file)));
const files = all.filter((file) => /\.(ts|tsx|mjs|cjs|css|wgsl|py|md)$/.test(file) && !file.includes('/fixtures/'));
if (files.length < 100) throw new Error(`only ${files.length} files were looked at`);

const ends = endsOf(all);
const wide = files.flatMap((file) =>
  wideLines(file, readFileSync(path.join(root, file), 'utf8')).map((line) => `${file}:${line}`),
);
const missing = files
  .filter((file) => /\.(ts|tsx|mjs|cjs|css)$/.test(file) && !/named-files\.test/.test(file))
  .flatMap((file) =>
    missingFiles(readFileSync(path.join(root, file), 'utf8'), ends).map((name) => `${file} names ${name}`),
  );
for (const place of wide) console.error(`wider than 120 columns: ${place}`);
for (const place of missing) console.error(`no such file: ${place}`);
console.log(`${files.length} files looked at, ${wide.length} lines too wide, ${missing.length} missing files named`);
process.exit(wide.length + missing.length === 0 ? 0 : 1);
