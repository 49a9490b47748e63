/** `npm run e2e`: builds the site and runs only the browser tests; passes its arguments on to Playwright. */
import { ensureInstalled } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

readArguments({
  command: 'npm run e2e --',
  about: 'Builds the site and runs only the browser tests, for example with -g "spiral".',
  passesOnTo: '`playwright test` (such as -g WORDS, FILE, --headed)',
});
ensureInstalled();
const { findChromium } = await import('./chromium.mjs');
const { freePort } = await import('./free-port.mjs');
const { collectBin, runBin } = await import('./run-bin.mjs');

// Playwright would refuse an unknown option only after the build.
const { output } = await collectBin('playwright', ['test', '--help']);
/** @type {readonly string[]} */
const known = output.match(/(?<![\w-])--?[A-Za-z][a-z-]*/g) ?? [];
const nameOf = (/** @type {string} */ word) =>
  word.startsWith('--') ? (word.split('=', 1)[0] ?? '') : word.slice(0, 2);
const unknown = process.argv.slice(2).find((word) => word.startsWith('-') && !known.includes(nameOf(word)));
if (unknown !== undefined) {
  console.error(`Playwright has no option ${unknown}. npx playwright test --help lists its options.`);
  process.exit(2);
}
const { executablePath, source } = await findChromium({ install: true });
console.log(`Chromium: ${executablePath} (${source})`);
const built = await runBin('vite', ['build', '--logLevel', 'warn']);
if (built !== 0) process.exit(built);
const environment = { LOCKSTEP_CHROMIUM: executablePath, LOCKSTEP_E2E_PORT: String(await freePort()) };
process.exit(await runBin('playwright', ['test', ...process.argv.slice(2)], environment));
