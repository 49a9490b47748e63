/**
 * `npm test`: prepares everything that the tests need (packages, a Chromium with WebGPU, a Vulkan driver for Dawn) and
 * runs the quick tier of the tests: Vitest's projects pure, null, torch and gpu, then Playwright on the built site.
 * `npm run test:all` runs all tests, and `npm run test:all -- --rest` only the tests that `npm test` leaves out
 * (tiers.mjs), with a closing line about both. A missing or skipped GPU test fails the run; tests that need PyTorch do
 * not run if it is missing. The last lines sum up all tests, say in large letters if PyTorch was missing, and repeat
 * which tests failed, and with which message.
 */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

/** The files that the tests read. @type {readonly string[]} */
const SOURCES = [
  'src',
  'assembly',
  'learn',
  'shaders',
  'public',
  'scripts',
  'e2e',
  'bench',
  'fuzz',
  'bin',
  'package-lock.json',
];

const { values } = readArguments({
  command: 'npm test --',
  about:
    'Installs what the tests need (packages, a Chromium with WebGPU, a Vulkan driver for Dawn) and runs the quick tier of the tests: Vitest, then Playwright on the built site.',
  options: {
    all: { help: 'Run all tests, as `npm run test:all` does.' },
    rest: { help: 'Run only the tests that `npm test` leaves out, and count the tests of both tiers.' },
  },
});
ensureInstalled();
const { findChromium } = await import('./chromium.mjs');
const { vulkanEnvironment } = await import('./software-vulkan.mjs');
const { playwrightCounts, playwrightListed, vitestCounts } = await import('./test-counts.mjs');
const { closing, printClosing } = await import('./test-closing.mjs');
const { KINDS, missingInQuick, notOnce, playwrightTier, slowLines, vitestTier, withoutReason } = await import(
  './tiers.mjs'
);
const { collectBin, runBin } = await import('./run-bin.mjs');
const { findTorch } = await import('./find-torch.mjs');
const { freePort } = await import('./free-port.mjs');
const { isCurrent } = await import('./is-current.mjs');
const { restFiles } = await import('./rest-files.mjs');

const tier = values.rest ? 'rest' : values.all ? 'all' : 'quick';

const started = performance.now();
const cache = path.join(root, '.cache');
/** @param {import('./tiers.mjs').Tier} of */
const reportsOf = (of) => ({
  vitest: path.join(cache, `tests-${of}-vitest.json`),
  playwright: path.join(cache, `tests-${of}-playwright.json`),
});
const reports = reportsOf(tier);
const listFile = path.join(cache, 'tests-listed-playwright.json');
mkdirSync(cache, { recursive: true });
for (const file of [...Object.values(reports), listFile]) rmSync(file, { force: true });

const chromium = await findChromium({ install: true }).catch((error) => {
  console.error(error.message);
  process.exit(1);
});
console.log(`Chromium: ${chromium.executablePath} (${chromium.source}), WebGPU adapter: ${chromium.adapter}`);

const environment = vulkanEnvironment({ chromium: chromium.executablePath, preferSoftware: true });
if (environment === undefined) {
  console.error(
    'No Vulkan driver for the GPU tests: this Chromium brings no SwiftShader. Set VK_DRIVER_FILES to a driver.',
  );
  process.exit(1);
}
process.stdout.write('Dawn for Node, adapter: ');
if ((await runBin('node', ['scripts/probe-dawn.mjs'], environment)) !== 0) {
  console.error('Dawn for Node found no adapter, so the GPU tests cannot run.');
  process.exit(1);
}
const torch = findTorch().found;
console.log(torch ? `PyTorch ${torch.torch} at ${torch.path}` : 'No PyTorch: its tests will not run.');

/** The quick run to which this run of the rest belongs, if no file has changed since. */
const before = reportsOf('quick');
const quick =
  tier === 'rest' && Object.values(before).every((file) => isCurrent(root, path.relative(root, file), SOURCES))
    ? closing([vitestCounts(before.vitest, 0, 'quick'), playwrightCounts(before.playwright, 0)])
    : undefined;
if (tier === 'rest' && !quick) console.log('No run of `npm test` is there for these files: only the rest is counted.');
/** Files without a test of the rest need not be loaded. Without a file: all. */
const wholeFiles = restFiles(root);
const halves = quick?.tests.filter((test) => test.kind !== 'browser' && !test.ran).map(({ file }) => file);
const files = halves ? [...new Set([...halves, ...wholeFiles.keys()])] : [];
console.log(`Set-up took ${((performance.now() - started) / 1000).toFixed(1)} s.\n`);

/**
 * Nets of a few hundred numbers make much garbage that soon can be collected. With a larger nursery V8 collects it less
 * often, and only one thread collects it, because the tests already use both cores. Together these options save an
 * eighth of the CPU time of the pure tests, and a twentieth of the build's, which trains the figures of the lessons.
 */
const GARBAGE = ['--single-threaded-gc', '--max-semi-space-size=64'];
// Meanwhile the site for the browser tests is built, unless it is up to date.
const isBuilt = tier === 'rest' && isCurrent(root, 'dist/index.html', [...SOURCES, 'index.html', 'vite.config.ts']);
const vite = path.join('node_modules', 'vite', 'bin', 'vite.js');
const building = isBuilt ? Promise.resolve(0) : runBin('node', [...GARBAGE, vite, 'build', '--logLevel', 'warn']);
const listing = collectBin('playwright', ['test', '--list', '--reporter=json'], {
  LOCKSTEP_CHROMIUM: chromium.executablePath,
  PLAYWRIGHT_JSON_OUTPUT_FILE: listFile,
});
const vitestStatus = await runBin(
  'node',
  [
    ...GARBAGE,
    path.join('node_modules', 'vitest', 'vitest.mjs'),
    'run',
    ...vitestTier(tier),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reports.vitest}`,
    ...files,
  ],
  { ...environment, LOCKSTEP_TIER: tier },
);
const units = vitestCounts(reports.vitest, vitestStatus, tier);

const buildStatus = await building;
if (buildStatus !== 0) console.error('The site does not build, so the browser tests cannot run.');
const playwrightStatus =
  buildStatus === 0
    ? await runBin('playwright', ['test', ...playwrightTier(tier)], {
        LOCKSTEP_CHROMIUM: chromium.executablePath,
        LOCKSTEP_E2E_PORT: String(await freePort()),
        PLAYWRIGHT_JSON_OUTPUT_FILE: reports.playwright,
      })
    : buildStatus;
const browser = playwrightCounts(reports.playwright, playwrightStatus);
await listing;
const listed = playwrightListed(listFile);

const own = closing([units, browser]);
const seconds = (performance.now() - started) / 1000;
for (const [name, counts] of Object.entries({ ...units.projects, browser }))
  console.log(`${name}: ${counts.passed} passed, ${counts.failed} failed`);
own.problems.push(...withoutReason([...units.tests, ...listed], wholeFiles));
if (tier === 'quick') {
  own.problems.push(
    ...missingInQuick(
      own.tests,
      KINDS.filter((kind) => torch || kind !== 'torch'),
      [...wholeFiles.keys()],
    ),
  );
  const left = [...units.tests.filter(({ ran }) => !ran), ...listed.filter(({ tags }) => tags.includes('rest'))];
  console.log(`Left for npm run test:all: ${left.length} tests, and ${wholeFiles.size} files as a whole.`);
  for (const line of slowLines(seconds, own.tests)) console.log(line);
}
console.log(`Took ${seconds.toFixed(0)} s.`);
if (!quick) process.exit(printClosing(own, torch !== undefined));

console.log(`The rest: ${own.passed} passed, ${own.failed} failed. With npm test before it:`);
const whole = closing([quick, own]);
whole.problems.push(...notOnce(quick.tests, [...own.tests, ...listed]));
process.exit(printClosing(whole, torch !== undefined));
