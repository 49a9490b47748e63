/**
 * `npm run check`: everything but the tests that CI holds the code to. Runs all of it, also after a failure, and sums
 * up.
 */
import { ensureInstalled, root } from './install.mjs';

ensureInstalled();
const { isCurrent } = await import('./is-current.mjs');
const { runBin } = await import('./run-bin.mjs');

/** What dist/ is built from: a build that `npm test` has just made is not made again. */
const SOURCES = ['src', 'learn', 'shaders', 'public', 'scripts', 'index.html', 'vite.config.ts', 'package-lock.json'];
const built = isCurrent(root, 'dist/index.html', SOURCES);

/** @type {readonly (readonly [string, string, readonly string[]])[]} */
const checks = [
  ['format and lint', 'biome', ['ci', '--error-on-warnings', '.']],
  ['types', 'tsc', ['--noEmit']],
  ['import walls', 'node', ['scripts/walls.mjs']],
  ['lookups by text', 'node', ['scripts/lookups.mjs']],
  ['state of modules', 'node', ['scripts/no-module-state.mjs']],
  ['width of comments', 'node', ['scripts/columns.mjs']],
  ['unused code', 'knip', []],
  ...(built ? [] : [/** @type {const} */ (['build', 'vite', ['build', '--logLevel', 'warn']])]),
  ['size of the first load', 'size-limit', []],
];

const failed = [];
for (const [name, command, args] of checks) {
  console.log(`\n== ${name}: ${command} ${args.join(' ')}`);
  if ((await runBin(command, [...args])) !== 0) failed.push(name);
}
console.log(failed.length === 0 ? `\nAll ${checks.length} checks passed.` : `\nFailed: ${failed.join(', ')}.`);
process.exit(failed.length === 0 ? 0 : 1);
