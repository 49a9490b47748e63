import { defineConfig } from '@playwright/test';
import { chromiumFlags, findChromium } from './scripts/chromium.mjs';

/**
 * The browser tests: the built site, served from a nested folder, in headless Chromium with WebGPU on SwiftShader.
 * `npm test` builds the site and finds the browser; run alone, `npm run e2e` does the same.
 */
const port = process.env['LOCKSTEP_E2E_PORT'] ?? '4319';
// Worker processes load this file again: the browser that the first load found is kept for them.
process.env['LOCKSTEP_CHROMIUM'] ??= (await findChromium({ install: false })).executablePath;

/** Only the last --disable-features counts. */
const withoutSpare = (flag: string): string =>
  flag.startsWith('--disable-features=') ? `${flag},SpareRendererForSitePerProcess` : flag;

export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.spec.ts',
  outputDir: 'test-results',
  // One more than a small machine has cores: a test waits for what it sees a quarter of its time.
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
    // Specs that want motion say so (IN_MOTION).
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: process.env['LOCKSTEP_CHROMIUM'],
      // What the page draws is put together by the CPU itself: a GPU of software costs more of the same two cores, a
      // tenth of all that a test takes. WebGPU stays where it was. And no process is kept ready for the next site: a
      // page opens later without it, so what measures pages keeps it.
      // Debian's start script asks for a GPU to draw with, which cost another tenth.
      args: [...chromiumFlags.map(withoutSpare), '--disable-gpu-compositing', '--disable-gpu-rasterization'],
    },
    trace: 'off',
    // Only e2e/offline.spec.ts keeps the site: elsewhere each test would fetch all of it.
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
