/**
 * `npm run bench`: trains the two nets of workload.ts with Lockstep, TensorFlow.js and jax-js in headless Chromium, in turn on the
 * same adapter, and measures the built page. Prints a table and JSON; `--write` also puts them into docs/benchmarks.md.
 * `--rounds 5 --milliseconds 1000` set how long; `--skip-page` leaves the page out.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, type as osType } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from '../scripts/install.mjs';

ensureInstalled();
const { build } = await import('vite');
const { chromium } = await import('playwright-core');
const { chromiumFlags, findChromium } = await import('../scripts/chromium.mjs');
const { serveFolder } = await import('../scripts/static-server.mjs');
const { measurePage } = await import('./page-figures.mjs');
const { checkLosses } = await import('./check-losses.mjs');
const { markdownTable, writeIntoDocs } = await import('./table.mjs');

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    milliseconds: { type: 'string', default: '1000' },
    write: { type: 'boolean', default: false },
    'skip-page': { type: 'boolean', default: false },
  },
});

const { executablePath } = await findChromium({ install: true });
const browser = await chromium.launch({ executablePath, args: chromiumFlags });
const outDir = path.join(root, '.cache', 'bench');

/** @typedef {{workload: string, title: string, contender: string, stepsPerSecond: number, rounds: number[]}} Figure */

/** @returns {Promise<{adapter: string, figures: Figure[]}>} */
async function measureTraining() {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    base: './',
    publicDir: false,
    worker: { format: 'es' },
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 4000, rolldownOptions: { input: 'bench/index.html' } },
  });
  const server = await serveFolder(outDir);
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(`page: ${error.message}`));
  await page.goto(`${server.url}bench/index.html`);
  await page.waitForFunction(() => 'bench' in globalThis);
  /** @param {string} method @param {unknown[]} args */
  const call = (method, ...args) =>
    page.evaluate(
      ([name, list]) =>
        Reflect.get(globalThis, 'bench')[/** @type {string} */ (name)](.../** @type {unknown[]} */ (list)),
      [method, args],
    );
  const { contenders, workloads } = await page.evaluate(() => {
    const { contenders, workloads } = Reflect.get(globalThis, 'bench');
    return { contenders, workloads };
  });
  const adapter = await call('adapter');
  console.log(`${osType()}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores; WebGPU adapter: ${adapter}\n`);

  /** @type {Figure[]} */
  const figures = [];
  for (const work of workloads) {
    /** @type {Record<string, number[]>} */
    const losses = {};
    for (const contender of contenders) losses[contender] = await call('prepare', contender, work.id, 8);
    checkLosses(work.title, losses);
    const rounds = new Map(contenders.map((/** @type {string} */ name) => [name, /** @type {number[]} */ ([])]));
    for (let round = 0; round < Number(options.rounds); round += 1) {
      for (const contender of contenders)
        rounds.get(contender)?.push(await call('measure', contender, work.id, Number(options.milliseconds)));
    }
    for (const [contender, list] of rounds) {
      figures.push({ workload: work.id, title: work.title, contender, stepsPerSecond: median(list), rounds: list });
    }
  }
  await page.close();
  await server.close();
  return { adapter, figures };
}

/** @param {number[]} list */
function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

try {
  const training = await measureTraining();
  const page = options['skip-page'] ? undefined : await measurePage(browser);
  const result = {
    date: new Date().toISOString().slice(0, 10),
    machine: `${osType()}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores`,
    browser: `Chromium ${browser.version()}`,
    ...training,
    ...(page ? { page } : {}),
  };
  mkdirSync(path.join(root, '.cache'), { recursive: true });
  writeFileSync(path.join(root, '.cache', 'bench.json'), `${JSON.stringify(result, null, 2)}\n`);
  const table = markdownTable(result);
  console.log(table);
  console.log(JSON.stringify(result));
  if (options.write) writeIntoDocs(path.join(root, 'docs', 'benchmarks.md'), table);
} finally {
  await browser.close();
}
