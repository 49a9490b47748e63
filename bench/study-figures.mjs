/**
 * Runs the studies (studies/, one file per study), each in its own page. If a study fails, the report gives the reason,
 * and the other studies continue.
 */
import { callPage, openBenchPage, sentence } from './bench-page.mjs';
import { chosen } from './summary.mjs';

/** A study opens several sessions and runs several rounds of each. */
const LIMIT_MS = 600_000;

/**
 * @param {import('playwright-core').Browser} browser @param {{url: string, isolatedUrl: string}} served @param
 * {import('./workload-figures.mjs').Options} options
 */
export async function measureStudies(browser, { url, isolatedUrl }, { only, rounds, milliseconds }) {
  const cpuSeconds = await cpuClock(browser);
  const first = await openBenchPage(browser, url);
  /** @type {{id: string, title: string, isolated: boolean}[]} */
  const all = await first.evaluate(() => Reflect.get(globalThis, 'bench').studies);
  await first.close();
  /** @type {import('./result.d.ts').StudyFigure[]} */
  const found = [];
  for (const { id, title, isolated } of all.filter((study) => chosen(study.id, only))) {
    console.log(`\n${title}`);
    const page = await openBenchPage(browser, isolated ? isolatedUrl : url);
    try {
      await page.exposeFunction('cpuSeconds', cpuSeconds);
      /** @type {import('./studies/study').StudyResult} */
      const result = await callPage(page, 'study', [id, { rounds, milliseconds }], LIMIT_MS, title);
      for (const { title: row, by, value } of result.ratios) console.log(`  ${row}: ${by}: ${value.toFixed(2)}x`);
      found.push({ id, title, result });
    } catch (error) {
      console.log(`  ${sentence(error)}`);
      found.push({ id, title, problem: sentence(error) });
    } finally {
      await page.close();
    }
  }
  return found;
}

/** Returns the CPU time of all processes of the browser. @param {import('playwright-core').Browser} browser */
async function cpuClock(browser) {
  const session = await browser.newBrowserCDPSession();
  return async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  };
}
