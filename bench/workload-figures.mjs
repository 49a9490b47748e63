/**
 * Measures every workload with every contender that supports it. For each workload all contenders open a page, their
 * numbers are compared, and then the contenders take turns, round by round. If a contender fails, has other numbers or
 * is too slow, the report gives the reason, and the other contenders continue.
 */
import { callPage, openBenchPage, sentence } from './bench-page.mjs';
import { disagreement } from './check-losses.mjs';
import { openPytorch, PYTORCH, pytorchContender } from './pytorch-contender.mjs';
import { checkNames, chosen, summary } from './summary.mjs';

/** If the rounds of a contender take this long altogether, a few rounds are enough. */
const ENOUGH_MS = 15_000;
const FEWEST_ROUNDS = 3;

/**
 * @typedef {{only: string[], contenders: string[], rounds: number, milliseconds: number, limitMs: number}} Options
 * @typedef {import('./result.d.ts').ContenderInfo & {mode?: string}} Contender
 * @typedef {import('./result.d.ts').WorkloadInfo & {perRun: number, expected?: number[], contenders: string[]}}
 * Workload
 * @typedef {{measure: (milliseconds: number) => Promise<number>, close: () => Promise<void>}} Opened
 * @typedef {{contender: Contender, opened: Opened | undefined, rates: number[], spentMs: number, problem?: string}}
 * Entry
 */

/**
 * The adapter, and the selected ids of everything that the page of the benchmark offers.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {Options} options
 */
export async function askedOf(browser, url, options) {
  const page = await openBenchPage(browser, url);
  const adapter = await callPage(page, 'adapter', [], options.limitMs);
  /** @type {Workload[]} */
  const all = await page.evaluate(() => Reflect.get(globalThis, 'bench').workloads);
  /** @type {Contender[]} */
  const known = await page.evaluate(() => Reflect.get(globalThis, 'bench').contenders);
  /** @type {{id: string}[]} */
  const studies = await page.evaluate(() => Reflect.get(globalThis, 'bench').studies);
  await page.close();
  const idsOf = (/** @type {readonly {id: string}[]} */ list) => list.map(({ id }) => id);
  checkNames('only', options.only, [...idsOf(all), ...idsOf(studies)]);
  checkNames('contenders', options.contenders, [...idsOf(known), PYTORCH]);
  return {
    adapter,
    workloads: all.filter(({ id }) => chosen(id, options.only)),
    asked: known.filter(({ id }) => chosen(id, options.contenders)),
  };
}

/** @param {import('playwright-core').Browser} browser @param {string} url @param {Options} options */
export async function measureWorkloads(browser, url, options) {
  const { adapter, workloads, asked } = await askedOf(browser, url, options);
  console.log(`WebGPU adapter: ${adapter}`);
  const pytorch = chosen(PYTORCH, options.contenders) ? await pytorchContender() : undefined;
  if (pytorch) {
    asked.push(pytorch);
    // Supports every workload that the CPU device supports.
    for (const work of workloads) if (work.contenders.includes('lockstep-cpu')) work.contenders.push(PYTORCH);
  }
  /** @type {import('./result.d.ts').Figure[]} */
  const figures = [];
  for (const work of workloads) {
    console.log(`\n${work.title}`);
    for (const { contender, rates, problem } of await measureOne(browser, url, work, asked, options)) {
      const found = problem === undefined ? { summary: summary(rates.map((rate) => rate * work.perRun)) } : { problem };
      figures.push({ workload: work.id, contender: contender.id, ...found });
      console.log(
        `  ${contender.title}: ${found.summary ? `${found.summary.median.toPrecision(4)} ${work.unit}` : problem}`,
      );
    }
  }
  return {
    adapter: String(adapter),
    workloads: workloads.map(({ id, title, unit }) => ({ id, title, unit })),
    contenders: asked.filter(({ id }) => workloads.some((work) => work.contenders.includes(id))),
    figures,
  };
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {Workload} work
 * @param {Contender[]} asked
 * @param {Options} options
 * @returns {Promise<Entry[]>}
 */
async function measureOne(browser, url, work, asked, { rounds, milliseconds, limitMs }) {
  /** @type {Entry[]} */
  const entries = [];
  let expected = work.expected;
  for (const contender of asked.filter(({ id }) => work.contenders.includes(id))) {
    /** @type {Entry} */
    const entry = { contender, opened: undefined, rates: [], spentMs: 0 };
    entries.push(entry);
    await attempt(entry, async () => {
      if (contender.id === PYTORCH) {
        entry.opened = await openPytorch(work.id);
        return;
      }
      const page = await openBenchPage(browser, url);
      entry.opened = {
        measure: (ms) => callPage(page, 'measure', [ms], limitMs, 'a round'),
        close: () => page.close(),
      };
      const numbers = await callPage(page, 'open', [contender.id, work.id], limitMs, 'opening and the first steps');
      const wrong = disagreement(numbers, contender.mode === 'ddp' ? undefined : expected);
      if (wrong) throw new Error(wrong);
      if (contender.mode !== 'ddp') expected ??= numbers;
    });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const entry of entries) {
      if (entry.rates.length >= FEWEST_ROUNDS && entry.spentMs > ENOUGH_MS) continue;
      await attempt(entry, async () => {
        if (!entry.opened) return;
        const started = performance.now();
        entry.rates.push(await entry.opened.measure(milliseconds));
        entry.spentMs += performance.now() - started;
      });
    }
  }
  for (const { opened } of entries) await opened?.close();
  return entries;
}

/**
 * Closes the page or process of a contender that fails, which also ends its pending work.
 * @param {Entry} entry @param {() =>
 * Promise<void>} task
 */
async function attempt(entry, task) {
  if (entry.problem !== undefined) return;
  try {
    await task();
  } catch (error) {
    entry.problem = sentence(error);
    await entry.opened?.close();
    entry.opened = undefined;
  }
}
