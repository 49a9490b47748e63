/**
 * Measures the files that the built site loads until Play can be pressed on the default run: every file that the host
 * sends, including workers and their imports, each compressed with brotli; and how long this takes over a slow
 * connection. By itself, `node bench/first-load.mjs` lists the files of the built site; `npm run bench` reports their
 * sum.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { firstLoad } from '../scripts/first-load.mjs';
import { root } from '../scripts/install.mjs';
import { readArguments } from '../scripts/read-arguments.mjs';
import { countingHost } from './counting-host.mjs';
import { summary } from './summary.mjs';

/** About a slow mobile connection. Its round trip makes many small files slow. */
const NARROW = { latencyMs: 150, kilobytesPerSecond: 200 };
/**
 * The bandwidth is high, but the latency is so long that files requested after Play can be pressed have not been sent
 * when the list is read.
 */
const LATE = { latencyMs: 1000, kilobytesPerSecond: 1e5 };
const ROUNDS = 3;

const dist = path.join(root, 'dist');

/**
 * @typedef {{name: string, bytes: number, part: string}} Fetched
 */

/**
 * @param {import('playwright-core').Browser} browser
 * @param {import('./counting-host.mjs').Line} line
 */
async function open(browser, line) {
  const host = await countingHost(dist, line);
  // A new context has an empty cache.
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } });
  try {
    const page = await context.newPage();
    const began = performance.now();
    await page.goto(host.url);
    await page.getByRole('button', { name: 'Play', exact: true }).and(page.locator(':enabled')).waitFor();
    const playMs = performance.now() - began;
    const ofPage = new Set(firstLoad(dist).page);
    const files = host.sent.map((each) => ({ ...each, part: ofPage.has(each.name) ? 'page' : 'workers' }));
    return { playMs, files };
  } finally {
    await context.close();
    await host.close();
  }
}

const kilobytes = (/** @type {readonly Fetched[]} */ files) => files.reduce((sum, { bytes }) => sum + bytes, 0) / 1000;

/** @param {import('playwright-core').Browser} browser */
export async function measureFirstLoad(browser) {
  const { files } = await open(browser, LATE);
  /** @type {number[]} */
  const times = [];
  for (let round = 0; round < ROUNDS; round++) times.push((await open(browser, NARROW)).playMs);
  return {
    files,
    firstLoadKilobytes: kilobytes(files),
    pageKilobytes: kilobytes(files.filter(({ part }) => part === 'page')),
    workersKilobytes: kilobytes(files.filter(({ part }) => part === 'workers')),
    narrowPlayMs: summary(times).median,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  readArguments({
    command: 'node bench/first-load.mjs',
    about:
      'Lists the files that the site in dist/ loads until Play can be pressed, with their sizes after compression with brotli, and measures how long this takes over a slow connection.',
  });
  const { findChromium } = await import('../scripts/chromium.mjs');
  const { launcher } = await import('./launcher.mjs');
  const browser = await launcher((await findChromium({ install: false })).executablePath)();
  const found = await measureFirstLoad(browser);
  await browser.close();
  for (const { name, bytes, part } of found.files)
    console.log(`${String(bytes).padStart(8)}  ${part.padEnd(8)} ${name}`);
  const { firstLoadKilobytes, pageKilobytes, workersKilobytes, narrowPlayMs } = found;
  console.log(
    `${firstLoadKilobytes.toFixed(1)} kB until Play: the page's ${pageKilobytes.toFixed(1)}, ` +
      `the workers' ${workersKilobytes.toFixed(1)}; ${narrowPlayMs.toFixed(0)} ms over ${NARROW.kilobytesPerSecond} kB/s ` +
      `with ${NARROW.latencyMs} ms a request`,
  );
}
