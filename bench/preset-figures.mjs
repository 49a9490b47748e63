/**
 * Measures how long a preset's first step takes, from opening its session, in a browser that has just been started and
 * has compiled nothing; and the memory of the preset.
 */
import { callPage, openBenchPage, sentence } from './bench-page.mjs';

const LIMIT_MS = 60_000;

/**
 * @param {() => Promise<import('playwright-core').Browser>} launch
 * @param {string} url
 * @returns {Promise<import('./result.d.ts').PresetFigure[]>}
 */
export async function measurePresets(launch, url) {
  /** @type {{id: string, title: string}[]} */
  const presets = await inFresh(launch, url, (page) => page.evaluate(() => Reflect.get(globalThis, 'bench').presets));
  const figures = [];
  for (const { id, title } of presets) {
    const figure = await inFresh(launch, url, (page) => callPage(page, 'firstStep', [id], LIMIT_MS)).then(
      ({ milliseconds, peakBytes }) => ({ title, firstStepMs: milliseconds, peakBytes }),
      (error) => ({ title, problem: sentence(error) }),
    );
    figures.push(figure);
  }
  return figures;
}

/**
 * @template T
 * @param {() => Promise<import('playwright-core').Browser>} launch
 * @param {string} url
 * @param {(page: import('playwright-core').Page) => Promise<T>} task
 */
async function inFresh(launch, url, task) {
  const browser = await launch();
  try {
    return await task(await openBenchPage(browser, url));
  } finally {
    await browser.close();
  }
}
