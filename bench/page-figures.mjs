/**
 * Figures of the built page: first paint, first moving picture, long tasks of the main thread while 8 ranks train, and
 * the compressed (brotli) size of what is fetched until the page can be used.
 */
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';
import { root } from '../scripts/install.mjs';
import { serveFolder } from '../scripts/static-server.mjs';

const TRAINING_MS = 5000;

/** @param {import('playwright-core').Browser} browser */
export async function measurePage(browser) {
  await build({ root, logLevel: 'error' });
  const server = await serveFolder(path.join(root, 'dist'));
  try {
    return { ...(await measureStart(browser, server.url)), ...(await measureLongTasks(browser, server.url)) };
  } finally {
    await server.close();
  }
}

/**
 * From navigation to the first change of a pixel on the stage's canvas after Play was pressed as soon as it could be.
 * @param {import('playwright-core').Browser} browser @param {string} url
 */
async function measureStart(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1360, height: 860 } });
  /** @type {Promise<number>[]} */
  const sizes = [];
  page.on('response', (response) => {
    if (response.url().startsWith(url))
      sizes.push(
        response.body().then(
          (body) => brotliCompressSync(body).length,
          () => 0,
        ),
      );
  });
  await page.goto(`${url}#seed=0&mode=ddp&world=4`);
  const play = page.getByRole('button', { name: 'Play' });
  await play.and(page.locator(':enabled')).waitFor();
  // What comes later, such as the chart's library, comes while the page can already be used.
  const firstLoad = sizes.slice();
  await play.click();
  const firstPictureMs = await page
    .getByRole('region', { name: 'Stage' })
    .locator('canvas')
    .first()
    .evaluate(untilItMoves);
  const firstPaintMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  const firstLoadKilobytes = (await Promise.all(firstLoad)).reduce((sum, size) => sum + size, 0) / 1000;
  await page.close();
  return { firstPaintMs, firstPictureMs, firstLoadKilobytes };
}

/**
 * Runs in the page.
 * @param {Element} canvas
 * @returns {Promise<number>}
 */
function untilItMoves(canvas) {
  const small = new OffscreenCanvas(160, 100).getContext('2d', { willReadFrequently: true });
  /** @type {Uint8ClampedArray | undefined} */
  let before;
  return new Promise((resolve) => {
    const look = () => {
      small?.drawImage(/** @type {HTMLCanvasElement} */ (canvas), 0, 0, 160, 100);
      const now = small?.getImageData(0, 0, 160, 100).data;
      if (now && before?.some((value, index) => value !== now[index])) resolve(performance.now());
      else requestAnimationFrame(look);
      before = now;
    };
    look();
  });
}

/** @param {import('playwright-core').Browser} browser @param {string} url */
async function measureLongTasks(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1360, height: 860 } });
  await page.goto(`${url}#seed=0&mode=ddp&world=8`);
  await page.getByRole('button', { name: 'Play' }).click();
  await page.waitForTimeout(1000);
  const tasks = await page.evaluate(
    (milliseconds) =>
      new Promise((/** @type {(value: number[]) => void} */ resolve) => {
        /** @type {number[]} */
        const durations = [];
        const observer = new PerformanceObserver((list) =>
          durations.push(...list.getEntries().map((entry) => entry.duration)),
        );
        observer.observe({ type: 'longtask' });
        setTimeout(() => resolve(durations), milliseconds);
      }),
    TRAINING_MS,
  );
  await page.close();
  return { longTasks: tasks.length, longestTaskMs: Math.max(0, ...tasks) };
}
