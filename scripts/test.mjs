/**
 * `npm test`: sets up all it needs (packages, a Chromium with WebGPU, a Vulkan driver for Dawn) and runs every test:
 * Vitest's projects pure, null, torch and gpu, then Playwright on the built site. A GPU test that is missing or skipped
 * fails the run; tests that need PyTorch do not run where there is none. The last lines sum all of them, say in large
 * letters that PyTorch was missing, and say again what failed, and how.
 */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from './install.mjs';

ensureInstalled();
const { findChromium } = await import('./chromium.mjs');
const { vulkanEnvironment } = await import('./software-vulkan.mjs');
const { failureLines, playwrightCounts, problemLines, vitestCounts } = await import('./test-counts.mjs');
const { runBin } = await import('./run-bin.mjs');
const { findTorch, noTorchBanner } = await import('./find-torch.mjs');
const { freePort } = await import('./free-port.mjs');

const started = performance.now();
const cache = path.join(root, '.cache');
const vitestReport = path.join(cache, 'vitest.json');
const playwrightReport = path.join(cache, 'playwright.json');
mkdirSync(cache, { recursive: true });
for (const file of [vitestReport, playwrightReport]) rmSync(file, { force: true });

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
console.log(`Set-up took ${((performance.now() - started) / 1000).toFixed(1)} s.\n`);

// What the browser tests need is built meanwhile.
const building = runBin('vite', ['build', '--logLevel', 'warn']);
const vitestStatus = await runBin(
  'vitest',
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${vitestReport}`],
  environment,
);
const units = vitestCounts(vitestReport, vitestStatus);

const buildStatus = await building;
if (buildStatus !== 0) console.error('The site does not build, so the browser tests cannot run.');
const playwrightStatus =
  buildStatus === 0
    ? await runBin('playwright', ['test'], {
        LOCKSTEP_CHROMIUM: chromium.executablePath,
        LOCKSTEP_E2E_PORT: String(await freePort()),
        PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightReport,
      })
    : buildStatus;
const browser = playwrightCounts(playwrightReport, playwrightStatus);

const total = { passed: units.passed + browser.passed, failed: units.failed + browser.failed };
for (const [name, counts] of Object.entries({ ...units.projects, browser }))
  console.log(`${name}: ${counts.passed} passed, ${counts.failed} failed`);
console.log(`Took ${((performance.now() - started) / 1000).toFixed(0)} s.`);
if (!torch) console.log(noTorchBanner('what runs in it was not tested.'));
const without = torch ? '' : ', WITHOUT the tests that run in PyTorch';
const problems = [...units.problems, ...browser.problems];
const also = problems.length > 0 ? `, and ${problems.length} problems, which fail the run too` : '';
console.log(`${total.passed} passed, ${total.failed} failed${also}${without}`);
for (const line of [...failureLines([...units.failures, ...browser.failures]), ...problemLines(problems)])
  console.log(line);
process.exit(total.failed === 0 && problems.length === 0 ? 0 : 1);
