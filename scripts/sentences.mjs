/**
 * `npm run sentences`: every sentence that is said of a moment, with its why, as small runs of all modes say them. To
 * be read by someone who did not write them, after a change of the templates in src/trace/moments.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureInstalled } from './install.mjs';

ensureInstalled();
const { runBin } = await import('./run-bin.mjs');
const folder = mkdtempSync(path.join(tmpdir(), 'sentences-'));
const file = path.join(folder, 'sentences.txt');
const status = await runBin(
  'vitest',
  ['run', '--silent', '--reporter=dot', '--project', 'pure', 'src/training/sentences.test.ts'],
  { LOCKSTEP_SENTENCES: file },
);
console.log(readFileSync(file, 'utf8'));
rmSync(folder, { recursive: true });
process.exit(status);
