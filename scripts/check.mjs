/**
 * `npm run check`: runs every check of CI except the tests, two checks at a time. It continues after a failure, and
 * sums up at the end.
 */
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

readArguments({
  command: 'npm run check --',
  about:
    'Runs all checks of CI except the tests: format, lint, types, imports between rooms, lookups by text, state of modules, width of comments and the files that they name, unused code, the build, and the size of the first load.',
});
ensureInstalled();
const { isCurrent } = await import('./is-current.mjs');
const { collectBin } = await import('./run-bin.mjs');

/** The sources of dist/. If `npm test` has just built the site, the build is not repeated. */
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
/** The checks that take longest come first. @type {readonly Check[]} */
const checks = [
  ['types, lookups by text, state of modules', 'node', ['scripts/types.mjs']],
  ['format and lint', 'biome', ['ci', '--error-on-warnings', '.']],
  ['import walls', 'node', ['scripts/walls.mjs']],
  ['unused code', 'knip', []],
  ['size of the first load', 'size-limit', []],
  ['width of comments, files that they name', 'node', ['scripts/columns.mjs']],
];

/** @type {string[]} */
const failed = [];

/**
 * Prints the output of a check when the check has ended, so that the outputs of two checks do not mix.
 * @param {Check} check
 */
async function run([name, command, args]) {
  const { status, output } = await collectBin(command, [...args]);
  console.log(`\n== ${name}: ${command} ${args.join(' ')}\n${output.trimEnd()}`);
  if (status !== 0) failed.push(name);
}

// The size check reads the built site.
if (!built) await run(['build', 'vite', ['build', '--logLevel', 'warn']]);
const left = [...checks];
const lane = async () => {
  for (let check = left.shift(); check; check = left.shift()) await run(check);
};
await Promise.all([lane(), lane()]);
console.log(failed.length === 0 ? `\nAll ${checks.length} checks passed.` : `\nFailed: ${failed.join(', ')}.`);
process.exit(failed.length === 0 ? 0 : 1);
