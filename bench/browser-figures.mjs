/** Measures workloads, studies, presets and the built page in one headless Chromium. */
import { findChromium } from '../scripts/chromium.mjs';
import { buildBenchPage } from './build-page.mjs';
import { launcher } from './launcher.mjs';
import { machine } from './machine.mjs';
import { measurePage } from './page-figures.mjs';
import { measurePresets } from './preset-figures.mjs';
import { measureStudies } from './study-figures.mjs';
import { measureWorkloads } from './workload-figures.mjs';

/**
 * @param {import('./workload-figures.mjs').Options & {presets: boolean, page: boolean}} options
 * @returns {Promise<import('./result.d.ts').Result>}
 */
export async function measureInBrowser(options) {
  const { executablePath } = await findChromium({ install: true });
  const launch = launcher(executablePath);
  const served = await buildBenchPage();
  const browser = await launch();
  try {
    const workloads = await measureWorkloads(browser, served.url, options);
    const studies = await measureStudies(browser, served, options);
    const presets = options.presets ? await measurePresets(launch, served.url) : [];
    const page = options.page ? await measurePage(launch) : undefined;
    return {
      ...machine(),
      runtime: `Chromium ${browser.version()}`,
      ...workloads,
      studies,
      presets,
      ...(page ? { page } : {}),
    };
  } finally {
    await browser.close();
    await served.close();
  }
}
