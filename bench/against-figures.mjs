/**
 * Compares this checkout of Lockstep with another one, for example an older commit: both builds train the same nets in
 * one browser and take turns, round by round, so that other work of the machine slows both equally. Called by run.mjs
 * for `--against FOLDER`.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { callPage, openBenchPage, sentence } from './bench-page.mjs';
import { buildBenchPage } from './build-page.mjs';
import { disagreement } from './check-losses.mjs';
import { commitOf } from './commit.mjs';
import { median } from './summary.mjs';
import { askedOf } from './workload-figures.mjs';

/**
 * @typedef {import('./result.d.ts').AgainstFigure} AgainstFigure
 * @typedef {import('playwright-core').Page} Page
 */

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} folder of the other checkout, with its packages installed
 * @param {import('./workload-figures.mjs').Options} options
 */
export async function measureAgainst(browser, folder, options) {
  const other = await import(pathToFileURL(path.resolve(folder, 'bench', 'build-page.mjs')).href);
  const [own, before] = [await buildBenchPage(), await other.buildBenchPage()];
  try {
    const { workloads, asked } = await askedOf(browser, own.url, options);
    /** @type {AgainstFigure[]} */
    const figures = [];
    for (const work of workloads)
      for (const { id, title, library } of asked) {
        if (library !== 'lockstep' || !work.contenders.includes(id)) continue;
        const found = await compared(browser, [own.url, before.url], [id, work.id], options);
        const figure = { workload: work.title, contender: title, ...found };
        figures.push(figure);
        console.log(`${work.title}, ${title}: ${figure.problem ?? figure.ratio?.toFixed(3)}`);
      }
    return { commits: { own: commitOf('.'), other: commitOf(folder) }, figures };
  } finally {
    await own.close();
    await before.close();
  }
}

/**
 * Steps per second of one build divided by those of the other: the median over the rounds, and the quartiles.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {readonly [own: string, other: string]} urls
 * @param {readonly string[]} what contender and workload
 * @param {import('./workload-figures.mjs').Options} options
 * @returns {Promise<Pick<AgainstFigure, 'ratio' | 'quartiles' | 'problem'>>}
 */
async function compared(browser, urls, what, { rounds, milliseconds, limitMs }) {
  /** @type {Page[]} */
  const pages = [];
  try {
    const losses = [];
    for (const url of urls) {
      const page = await openBenchPage(browser, url);
      pages.push(page);
      losses.push(await callPage(page, 'open', [...what], limitMs, 'opening and the first steps'));
    }
    const wrong = disagreement(losses[1], losses[0]);
    if (wrong) throw new Error(wrong);
    const ratios = [];
    for (let round = 0; round < rounds; round += 1) {
      // The builds take turns in going first, because a machine that gets slower would favour the first one.
      const order = round % 2 === 0 ? [0, 1] : [1, 0];
      const rates = [0, 0];
      for (const which of order)
        rates[which] = await callPage(
          /** @type {Page} */ (pages[which]),
          'measure',
          [milliseconds],
          limitMs,
          'a round',
        );
      ratios.push((rates[0] ?? 0) / (rates[1] ?? 0));
    }
    ratios.sort((a, b) => a - b);
    const half = Math.ceil(ratios.length / 2);
    return { ratio: median(ratios), quartiles: [median(ratios.slice(0, half)), median(ratios.slice(-half))] };
  } catch (error) {
    return { problem: sentence(error) };
  } finally {
    for (const page of pages) await page.close();
  }
}

/** @param {Awaited<ReturnType<typeof measureAgainst>>} found */
export function againstTable({ commits, figures }) {
  const rows = figures.map(({ workload, contender, ratio, quartiles: [low, high] = [0, 0], problem }) =>
    ratio === undefined
      ? `| ${workload}, ${contender} | failed: ${problem} | |`
      : `| ${workload}, ${contender} | ${ratio.toFixed(2)}x | ${low.toFixed(2)} to ${high.toFixed(2)} |`,
  );
  const title = `steps per second, ${commits.own} to ${commits.other}`;
  return [`| ${title} | median of the rounds | middle half |`, '|---|---:|---:|', ...rows].join('\n');
}
