/**
 * Figures of the built page: first paint, first moving picture, long tasks of the main thread while 8 ranks train, and
 * what is fetched until Play can be pressed (first-load.mjs).
 */
import path from 'node:path';
import { build } from 'vite';
import { root } from '../scripts/install.mjs';
import { serveFolder } from '../scripts/static-server.mjs';
import { measureFirstLoad } from './first-load.mjs';

const TRAINING_MS = 5000;

/** @param {import('playwright-core').Browser} browser */
export async function measurePage(browser) {
  await build({ root, logLevel: 'error' });
  const server = await serveFolder(path.join(root, 'dist'));
  try {
    const { files: _, ...load } = await measureFirstLoad(browser);
    return { ...(await measureStart(browser, server.url)), ...(await measureLongTasks(browser, server.url)), ...load };
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
  await page.goto(`${url}#seed=0&mode=ddp&world=4`);
  const play = page.getByRole('button', { name: 'Play' });
  await play.and(page.locator(':enabled')).waitFor();
  await play.click();
  const firstPictureMs = await page
    .getByRole('region', { name: 'Stage' })
    .locator('canvas')
    .first()
    .evaluate(untilItMoves);
  const firstPaintMs = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  );
  await page.close();
  return { firstPaintMs, firstPictureMs };
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
