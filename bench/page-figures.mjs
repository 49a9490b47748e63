/**
 * Figures of the built page: first paint, the stage's first picture, Play, first moving picture (median of five, a new
 * browser each time); long tasks and frames while the page plays at full speed; and the files that are loaded until
 * Play can be pressed (first-load.mjs). By itself, with the site built: `node bench/page-figures.mjs`; with a folder,
 * it measures the build in this folder. `npm run bench` has these figures in its report.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../scripts/install.mjs';
import { readArguments } from '../scripts/read-arguments.mjs';
import { serveFolder } from '../scripts/static-server.mjs';
import { measureFirstLoad } from './first-load.mjs';
import { median } from './summary.mjs';

const ROUNDS = 5;
const PLAYING_MS = 5000;
const VIEWPORT = { width: 1360, height: 860 };

/** The runs that play: eight ranks of the default run, the MLP and the GPT in DDP. */
const RUNS = [
  { id: 'ranks8', name: 'DDP, 8 ranks', hash: '#seed=0&mode=ddp&world=8' },
  { id: 'mlp', name: 'MLP, DDP, 4 ranks', hash: '#seed=0&preset=mlp&mode=ddp&world=4' },
  { id: 'gpt', name: 'GPT, DDP, 4 ranks', hash: '#seed=0&preset=gpt&mode=ddp&world=4' },
];

/**
 * @typedef {{paint: number, stage: number, play: number, moving: number}} Start milliseconds from navigation
 * @typedef {import('./result.d.ts').PlayingFigure} PlayingFigure
 * @typedef {() => Promise<import('playwright-core').Browser>} Launch
 */

/** @param {Launch} launch */
export async function measurePage(launch) {
  const { build } = await import('vite');
  await build({ root, logLevel: 'error' });
  const browser = await launch();
  try {
    const { files: _, ...load } = await measureFirstLoad(browser);
    return { ...(await measureSite(launch, path.join(root, 'dist'))), ...load };
  } finally {
    await browser.close();
  }
}

/** @param {Launch} launch @param {string} folder */
async function measureSite(launch, folder) {
  const server = await serveFolder(folder);
  try {
    /** @type {Start[]} */
    const starts = [];
    for (let round = 0; round < ROUNDS; round++)
      starts.push(await withPage(launch, (page) => measureStart(page, server.url)));
    /** @type {PlayingFigure[]} */
    const playing = [];
    for (const run of RUNS) playing.push(await withPage(launch, (page) => measurePlaying(page, server.url, run)));
    const of = (/** @type {keyof Start} */ key) => median(starts.map((start) => start[key]).sort((a, b) => a - b));
    return {
      firstPaintMs: of('paint'),
      firstStageMs: of('stage'),
      playMs: of('play'),
      firstPictureMs: of('moving'),
      playing,
    };
  } finally {
    await server.close();
  }
}

/**
 * In a browser that has just been started, so that nothing is cached or compiled.
 * @template T
 * @param {Launch} launch
 * @param {(page: import('playwright-core').Page) => Promise<T>} task
 */
async function withPage(launch, task) {
  const browser = await launch();
  try {
    return await task(await browser.newPage({ viewport: VIEWPORT }));
  } finally {
    await browser.close();
  }
}

/** @param {import('playwright-core').Page} page @param {string} url @returns {Promise<Start>} */
async function measureStart(page, url) {
  await page.addInitScript(watchStart);
  await page.goto(`${url}#seed=0&mode=ddp&world=4`);
  await page.waitForFunction(() => Reflect.get(globalThis, 'start').moving !== undefined);
  return page.evaluate(() => ({
    ...Reflect.get(globalThis, 'start'),
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
  }));
}

/**
 * Runs in the page before its scripts: presses Play as soon as possible, and checks the stage in each frame: when the
 * stage shows something, and when it moves, which is two consecutive changes after Play.
 */
function watchStart() {
  /** @type {{stage?: number, play?: number, moving?: number}} */
  const start = {};
  Object.assign(globalThis, { start });
  const [width, height] = [160, 100];
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const small = canvas.getContext('2d', { willReadFrequently: true });
  /** @type {Uint8ClampedArray | undefined} */
  let before;
  let changes = 0;
  const look = () => {
    /** @type {HTMLButtonElement | null} */
    const play = document.querySelector('button[aria-label="Play"]');
    /** @type {HTMLCanvasElement | null} */
    const stage = document.querySelector('section[aria-label="Stage"] canvas');
    if (stage && stage.width > 0) {
      small?.clearRect(0, 0, width, height);
      small?.drawImage(stage, 0, 0, width, height);
      const now = small?.getImageData(0, 0, width, height).data;
      const changed = before !== undefined && now?.some((value, index) => value !== before?.[index]);
      if (start.stage === undefined) {
        if (now?.some((value) => value !== 0)) start.stage = performance.now();
      } else if (start.play !== undefined) {
        changes = changed ? changes + 1 : changes;
        if (changes === 2) start.moving = performance.now();
      }
      before = now;
    }
    if (start.play === undefined && play && !play.disabled) {
      start.play = performance.now();
      play.click();
    }
    if (start.moving === undefined) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/**
 * @param {import('playwright-core').Page} page
 * @param {string} url
 * @param {typeof RUNS[number]} run
 * @returns {Promise<PlayingFigure>}
 */
async function measurePlaying(page, url, { id, name, hash }) {
  await page.goto(`${url}${hash}`);
  const play = page.getByRole('button', { name: 'Play', exact: true });
  await play.and(page.locator(':enabled')).waitFor();
  await page.getByRole('combobox', { name: 'Speed', exact: true }).selectOption('full speed');
  await play.click();
  await page.waitForTimeout(2000);
  const seen = await page.evaluate(watchPlaying, PLAYING_MS);
  return { id, name, ...seen };
}

/** Runs in the page. @param {number} milliseconds @returns {Promise<Omit<PlayingFigure, 'id' | 'name'>>} */
function watchPlaying(milliseconds) {
  /** @type {number[]} */
  const tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: 'longtask',
  });
  return new Promise((resolve) => {
    const began = performance.now();
    let [frames, last, longestGapMs] = [0, began, 0];
    const frame = () => {
      const now = performance.now();
      frames++;
      longestGapMs = Math.max(longestGapMs, now - last);
      last = now;
      if (now - began < milliseconds) requestAnimationFrame(frame);
      else
        resolve({
          framesPerSecond: (1000 * frames) / (now - began),
          longestGapMs,
          longTasks: tasks.length,
          longestTaskMs: Math.max(0, ...tasks),
        });
    };
    requestAnimationFrame(frame);
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { words } = readArguments({
    command: 'node bench/page-figures.mjs',
    about:
      'Measures how soon the built site paints, can be played and moves, and its frames per second while it plays.',
    words: 'FOLDER: the built site; without it, dist/',
  });
  const { findChromium } = await import('../scripts/chromium.mjs');
  const { launcher } = await import('./launcher.mjs');
  const launch = launcher((await findChromium({ install: false })).executablePath);
  const { playing, ...start } = await measureSite(launch, path.resolve(words[0] ?? path.join(root, 'dist')));
  console.log(
    Object.entries(start)
      .map(([name, value]) => `${name} ${value.toFixed(0)}`)
      .join('  '),
  );
  for (const { name, framesPerSecond, longestGapMs, longTasks, longestTaskMs } of playing)
    console.log(
      `${name}: ${framesPerSecond.toFixed(1)} frames/s, longest gap ${longestGapMs.toFixed(0)} ms, ` +
        `${longTasks} tasks over 50 ms (longest ${longestTaskMs.toFixed(0)} ms)`,
    );
}
