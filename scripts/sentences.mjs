/**
 * `npm run sentences`: prints every text that users read, with its place, so that someone who did not write the texts
 * can read them in one go. There are three parts: the texts of the lessons, the texts of the page (in its sources, as
 * file:line), and the sentences about moments that the stage shows in small runs of all modes, with their reasons. `--
 * lessons`, `-- page` or `-- stage` prints one part.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

const { words: asked } = readArguments({
  command: 'npm run sentences --',
  about:
    'Prints every text of the lessons and of the page with its place, and every sentence that the stage shows in small runs of all modes. Someone who did not write these texts should read them.',
  words: 'PART: lessons, page or stage; without it, all three',
});
ensureInstalled();
const { runBin } = await import('./run-bin.mjs');
const { textsOfMdx, textsOfTypeScript } = await import('./texts-of.mjs');

const PARTS = ['lessons', 'page', 'stage'];
const unknown = asked.find((part) => !PARTS.includes(part));
if (unknown !== undefined) {
  console.error(`There is no part "${unknown}": choose from ${PARTS.join(', ')}, or name none for all.`);
  process.exit(2);
}
const isAsked = (/** @type {string} */ part) => asked.length === 0 || asked.includes(part);

/** The files of this folder that git knows, without tests. */
const filesIn = (/** @type {string[]} */ ...folders) =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...folders], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(mdx|tsx?)$/.test(file) && !/\.test\.tsx?$|\/testing\//.test(file));

/** @param {string} heading @param {readonly string[]} files */
function print(heading, files) {
  console.log(`\n# ${heading}`);
  for (const file of files) {
    const texts = (file.endsWith('.mdx') ? textsOfMdx : textsOfTypeScript)(
      file,
      readFileSync(path.join(root, file), 'utf8'),
    );
    if (texts.length > 0) console.log('');
    for (const { line, text } of texts) console.log(`${file}:${line}: ${text}`);
  }
}

/** The sources of the page's texts: components, and the rooms whose words, notices and refusals the page shows. */
const PAGE = [
  'src/app',
  'src/lessons/page',
  'src/lessons/live',
  'src/lessons/facts',
  'src/protocol/words',
  'src/config',
];

if (isAsked('lessons')) print('Lessons', filesIn('learn'));
if (isAsked('page'))
  print('Page', [...filesIn(...PAGE), ...filesIn('src').filter((file) => /notices\.ts$/.test(file))]);
if (isAsked('stage')) {
  console.log('\n# Stage');
  const folder = mkdtempSync(path.join(tmpdir(), 'sentences-'));
  const file = path.join(folder, 'sentences.txt');
  const status = await runBin(
    'vitest',
    ['run', '--silent', '--reporter=dot', '--project', 'pure', 'src/training/sentences.test.ts'],
    { LOCKSTEP_SENTENCES: file },
  );
  console.log(readFileSync(file, 'utf8'));
  rmSync(folder, { recursive: true });
  process.exitCode = status;
}
