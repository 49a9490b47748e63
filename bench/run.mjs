/**
 * `npm run bench`: every library trains the same nets and multiplies the same matrices in one headless Chromium, in
 * turn on the same adapter; then studies of what is distributed (studies/: all-reduces beside bare copies, DDP at world
 * size 1, overlap, growth with the world size). Prints tables and JSON (.cache/bench.json); `--write` appends them to
 * docs/benchmarks.md. See there for how to read them.
 *
 * ```
 * --only small,all-reduce      workloads and studies whose ids begin so
 * --contenders lockstep,jax    likewise
 * --rounds 5                   how many, and how long each: --milliseconds 500
 * --limit 45                   seconds that opening, or one round, may take
 * --skip-presets --skip-page   without the presets' first steps, without the built page
 * --against FOLDER             nothing else: this checkout beside another one, an older commit say, with its packages
 *                              installed; both take turns
 * --gpu                        Lockstep alone on this machine's GPU, through Dawn in Node, beside PyTorch's figures
 *                              there; with --from FOLDER the report of a dawn.json and a pytorch.json that were
 *                              written on another machine
 * ```
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from '../scripts/install.mjs';

ensureInstalled();
const { buildBenchPage } = await import('./build-page.mjs');
const { findChromium } = await import('../scripts/chromium.mjs');
const { launcher } = await import('./launcher.mjs');
const { measureGpu } = await import('./gpu-figures.mjs');
const { measurePage } = await import('./page-figures.mjs');
const { measurePresets } = await import('./preset-figures.mjs');
const { measureStudies } = await import('./study-figures.mjs');
const { measureWorkloads } = await import('./workload-figures.mjs');
const { appendToHistory } = await import('./history.mjs');
const { machine } = await import('./machine.mjs');
const { report } = await import('./report.mjs');

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    contenders: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    milliseconds: { type: 'string', default: '500' },
    limit: { type: 'string', default: '45' },
    write: { type: 'boolean', default: false },
    against: { type: 'string' },
    gpu: { type: 'boolean', default: false },
    from: { type: 'string' },
    'skip-presets': { type: 'boolean', default: false },
    'skip-page': { type: 'boolean', default: false },
  },
});
const list = (/** @type {string} */ text) => text.split(',').filter(Boolean);
const options = {
  only: list(values.only),
  contenders: list(values.contenders),
  rounds: Number(values.rounds),
  milliseconds: Number(values.milliseconds),
  limitMs: 1000 * Number(values.limit),
};

/** @param {string} folder */
async function besideAnother(folder) {
  const { againstTable, measureAgainst } = await import('./against-figures.mjs');
  const { executablePath } = await findChromium({ install: true });
  const browser = await launcher(executablePath)();
  try {
    console.log(`\n${againstTable(await measureAgainst(browser, folder, options))}`);
  } finally {
    await browser.close();
  }
}

/** @returns {Promise<import('./result.d.ts').Result>} */
async function measureInBrowser() {
  const { executablePath } = await findChromium({ install: true });
  const launch = launcher(executablePath);
  const served = await buildBenchPage();
  const browser = await launch();
  try {
    const workloads = await measureWorkloads(browser, served.url, options);
    const studies = await measureStudies(browser, served.url, options);
    const presets = values['skip-presets'] ? [] : await measurePresets(launch, served.url);
    const page = values['skip-page'] ? undefined : await measurePage(launch);
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

if (values.against !== undefined) {
  await besideAnother(values.against);
  process.exit();
}
const result = values.gpu ? await measureGpu(options, values.from) : await measureInBrowser();
mkdirSync(path.join(root, '.cache'), { recursive: true });
writeFileSync(path.join(root, '.cache', 'bench.json'), `${JSON.stringify(result, null, 2)}\n`);
const text = report(result);
console.log(`\n${text}`);
console.log(JSON.stringify(result));
if (values.write) appendToHistory(path.join(root, 'docs', 'benchmarks.md'), result.date, text);
