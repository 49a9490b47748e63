/**
 * `npm run bench`: every library trains the same nets and multiplies the same matrices in one headless Chromium, taking
 * turns on the same adapter; then studies of distributed training (studies/: all-reduces compared with bare copies, DDP
 * at world size 1, overlap, growth with the world size). Prints tables and JSON (.cache/bench.json); `--write` adds the
 * tables to docs/benchmarks.md, which says how to read them. `--help` lists the options.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from '../scripts/install.mjs';
import { readArguments } from '../scripts/read-arguments.mjs';

const { values } = readArguments({
  command: 'npm run bench --',
  about:
    'Compares the speed of Lockstep and other libraries: all of them train the same nets and multiply the same matrices in one headless Chromium, taking turns on the same adapter. Then measures distributed training (studies). Prints tables, and writes JSON to .cache/bench.json.',
  options: {
    only: {
      value: 'IDS',
      default: '',
      help: 'Run only workloads and studies whose ids begin with one of these, such as small,all-reduce.',
    },
    contenders: {
      value: 'NAMES',
      default: '',
      help: 'Run only libraries whose names begin with one of these, such as lockstep,jax.',
    },
    rounds: { value: 'N', default: '5', positive: true, help: 'Number of rounds.' },
    milliseconds: { value: 'N', default: '500', positive: true, help: 'Length of a round.' },
    limit: {
      value: 'SECONDS',
      default: '45',
      positive: true,
      help: 'Time limit for opening a library, and for one round.',
    },
    write: { help: 'Add the tables to docs/benchmarks.md.' },
    against: {
      value: 'FOLDER',
      help: 'Compare only this checkout with the checkout in FOLDER, whose packages are installed; the two take turns.',
    },
    gpu: { help: "Measure only Lockstep and PyTorch on this machine's GPU; Lockstep runs in Node through Dawn." },
    from: {
      value: 'FOLDER',
      help: 'With --gpu: measure nothing, and print the report of the dawn.json and pytorch.json in FOLDER.',
    },
    'skip-presets': { help: 'Do not measure the first steps of the presets.' },
    'skip-page': { help: 'Do not measure the built page.' },
  },
});
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
    const studies = await measureStudies(browser, served, options);
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
