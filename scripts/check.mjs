/**
 * `npm run check`: everything but the tests that CI holds the code to. Runs all of it, two checks at a time, also after
 * a failure, and sums up.
 */
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

readArguments({
  command: 'npm run check --',
  about:
    'Runs all checks of CI except the tests: format, lint, types, import walls, lookups by text, state of modules, width of comments, unused code, build, size of the first load.',
});
ensureInstalled();
const { isCurrent } = await import('./is-current.mjs');
const { collectBin } = await import('./run-bin.mjs');

/** What dist/ is built from: a build that `npm test` has just made is not made again. */
const SOURCES = [
  'src',
  'assembly',
  'learn',
  'shaders',
  'public',
  'scripts',
  'index.html',
  'vite.config.ts',
  'package-lock.json',
];
const built = isCurrent(root, 'dist/index.html', SOURCES);

/** @typedef {readonly [name: string, command: string, args: readonly string[]]} Check */
/** What takes longest begins first. @type {readonly Check[]} */
const checks = [
  ['types, lookups by text, state of modules', 'node', ['scripts/types.mjs']],
  ['format and lint', 'biome', ['ci', '--error-on-warnings', '.']],
  ['import walls', 'node', ['scripts/walls.mjs']],
  ['unused code', 'knip', []],
  ['size of the first load', 'size-limit', []],
  ['width of comments', 'node', ['scripts/columns.mjs']],
];

/** @type {string[]} */
const failed = [];

/** Each says what it found when it has ended, so that two do not speak at once. @param {Check} check */
async function run([name, command, args]) {
  const { status, output } = await collectBin(command, [...args]);
  console.log(`\n== ${name}: ${command} ${args.join(' ')}\n${output.trimEnd()}`);
  if (status !== 0) failed.push(name);
}

// The size is that of what is built.
if (!built) await run(['build', 'vite', ['build', '--logLevel', 'warn']]);
const left = [...checks];
const lane = async () => {
  for (let check = left.shift(); check; check = left.shift()) await run(check);
};
await Promise.all([lane(), lane()]);
console.log(failed.length === 0 ? `\nAll ${checks.length} checks passed.` : `\nFailed: ${failed.join(', ')}.`);
process.exit(failed.length === 0 ? 0 : 1);
