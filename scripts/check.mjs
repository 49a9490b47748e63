/**
 * `npm run check`: everything but the tests that CI holds the code to. Runs all of it, also after a failure, and sums
 * up.
 */
import { ensureInstalled } from './install.mjs';

ensureInstalled();
const { runBin } = await import('./run-bin.mjs');

/** @type {readonly (readonly [string, string, readonly string[]])[]} */
const checks = [
  ['format and lint', 'biome', ['ci', '--error-on-warnings', '.']],
  ['types', 'tsc', ['--noEmit']],
  ['import walls', 'node', ['scripts/walls.mjs']],
  ['lookups by text', 'node', ['scripts/lookups.mjs']],
  ['state of modules', 'node', ['scripts/no-module-state.mjs']],
  ['width of comments', 'node', ['scripts/columns.mjs']],
  ['unused code', 'knip', []],
  ['build', 'vite', ['build', '--logLevel', 'warn']],
  ['size of the first load', 'size-limit', []],
];

const failed = [];
for (const [name, command, args] of checks) {
  console.log(`\n== ${name}: ${command} ${args.join(' ')}`);
  if ((await runBin(command, [...args])) !== 0) failed.push(name);
}
console.log(failed.length === 0 ? `\nAll ${checks.length} checks passed.` : `\nFailed: ${failed.join(', ')}.`);
process.exit(failed.length === 0 ? 0 : 1);
