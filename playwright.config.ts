import { defineConfig } from '@playwright/test';
import { chromiumFlags, findChromium } from './scripts/chromium.mjs';

/**
 * The browser tests: the built site, served from a nested folder, in headless Chromium with WebGPU on SwiftShader. `npm
 * test` builds the site and finds the browser; `npm run e2e` does the same and runs only these tests.
 */
const port = process.env['LOCKSTEP_E2E_PORT'] ?? '4319';
// Worker processes load this file again: they use the browser that the first load found.
process.env['LOCKSTEP_CHROMIUM'] ??= (await findChromium({ install: false })).executablePath;

/** Only the last --disable-features counts. */
const withoutSpare = (flag: string): string =>
  flag.startsWith('--disable-features=') ? `${flag},SpareRendererForSitePerProcess` : flag;

export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.spec.ts',
  outputDir: 'test-results',
  // One more than the number of cores of a small machine, because a test spends a quarter of its time waiting for the
  // page.
  workers: 3,
  fullyParallel: true,
  retries: 0,
  forbidOnly: true,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: process.env['PLAYWRIGHT_JSON_OUTPUT_FILE'] ? [['list'], ['json']] : [['list']],
  use: {
    baseURL: `http://127.0.0.1:${port}/some/folder/`,
    viewport: { width: 1440, height: 860 },
    // Specs about motion ask for it (IN_MOTION).
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: process.env['LOCKSTEP_CHROMIUM'],
      // The CPU composites the page, because a software GPU would use a tenth more CPU time of the same two cores.
      // WebGPU is not affected. Chromium keeps no spare process for the next site. Pages open later without it, so the
      // scripts that measure pages keep it. Debian's start script asks for a GPU for drawing, which took another tenth.
      args: [...chromiumFlags.map(withoutSpare), '--disable-gpu-compositing', '--disable-gpu-rasterization'],
    },
    trace: 'off',
    // Only e2e/offline.spec.ts stores the site: otherwise each test would load all of its files.
    serviceWorkers: 'block',
    screenshot: 'only-on-failure',
  },
  webServer: {
    command: 'node e2e/serve.mjs',
    url: `http://127.0.0.1:${port}/some/folder/`,
    env: { LOCKSTEP_E2E_PORT: port },
    reuseExistingServer: false,
    timeout: 60_000,
  },
});
