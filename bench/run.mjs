/**
 * `npm run bench`: every library trains the same nets and multiplies the same matrices in one headless Chromium, taking
 * turns on the same adapter; then studies of distributed training (studies/: all-reduces compared with bare copies, DDP
 * at world size 1, overlap, growth with the world size). Prints tables and JSON (.cache/bench.json). `--tables NAMES`
 * takes tables of docs/benchmarks.md anew (tables.mjs). `--help` lists the options.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
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
    tables: {
      value: 'NAMES',
      help: 'Take these tables of docs/benchmarks.md anew, such as cpu,gpt2, or all; nothing else is measured. A name that does not exist lists the names.',
    },
    write: { help: 'With --tables: write the tables into docs/benchmarks.md.' },
    values: { value: 'FILE', help: 'With --tables: write the measured numbers as JSON.' },
    against: {
      value: 'FOLDER',
      help: 'Compare only this checkout with the checkout in FOLDER, whose packages are installed; the two take turns. With --tables: every number of the tables, before and after.',
    },
    turns: { value: 'N', default: '3', positive: true, help: 'With --tables --against: turns of each checkout.' },
    gpu: { help: "Measure only Lockstep and PyTorch on this machine's GPU; Lockstep runs in Node through Dawn." },
    from: {
      value: 'FOLDER',
      help: 'With --gpu: measure nothing, and print the report of the dawn.json and pytorch.json in FOLDER.',
    },
    'skip-presets': { help: 'Do not measure the first steps of the presets.' },
    'skip-page': { help: 'Do not measure the built page.' },
  },
});
const list = (/** @type {string | undefined} */ text) => (text ?? '').split(',').filter(Boolean);
for (const [name, needs] of /** @type {const} */ ([
  ['write', 'tables'],
  ['values', 'tables'],
  ['from', 'gpu'],
]))
  if (values[name] && values[needs] === undefined) refuse(`--${name} needs --${needs}.`);
ensureInstalled();
const { measureGpu } = await import('./gpu-figures.mjs');
const { report } = await import('./report.mjs');
const { UnknownName } = await import('./summary.mjs');

/** @param {string} why @returns {never} */
function refuse(why) {
  console.error(`${why} npm run bench -- --help lists the options.`);
  process.exit(2);
}

/** @param {unknown} error @returns {never} */
function unlessUnknown(error) {
  if (error instanceof UnknownName) refuse(error.message);
  if (!values.gpu || !(error instanceof Error)) throw error;
  // The reason is in the output of the program that measures: a driver, or an option.
  console.error(error.message);
  process.exit(1);
}

const options = {
  only: list(values.only),
  contenders: list(values.contenders),
  rounds: Number(values.rounds),
  milliseconds: Number(values.milliseconds),
  limitMs: 1000 * Number(values.limit),
};

async function takeTables() {
  const { TABLES, tablesNamed } = await import('./tables.mjs');
  const ids = list(values.tables);
  const unknown = ids.find((id) => id !== 'all' && !TABLES.some((row) => row.id === id));
  if (unknown !== undefined || ids.length === 0)
    refuse(
      `There is no table "${unknown ?? ''}". all: every table.${TABLES.map(({ id, about }) => `\n  ${id}: ${about}`).join('')}\n`,
    );
  if (values.against !== undefined) {
    const { takeInTurns } = await import('./tables-against.mjs');
    const again = ['--rounds', values.rounds, '--milliseconds', values.milliseconds, '--limit', values.limit];
    console.log(`\n${takeInTurns(ids, values.against, { turns: Number(values.turns), options: again })}`);
    return;
  }
  const { writeTable } = await import('./tables-document.mjs');
  const measured = [];
  for (const { id, take } of tablesNamed(ids)) {
    console.log(`\n== ${id}`);
    const taken = await take(options);
    console.log(`\n${taken.text}`);
    measured.push(...taken.values);
    if (values.write) writeTable(id, taken.text);
  }
  if (values.values !== undefined) writeFileSync(values.values, JSON.stringify(measured));
}

/** @param {string} folder */
async function besideAnother(folder) {
  const { againstTable, measureAgainst } = await import('./against-figures.mjs');
  const { findChromium } = await import('../scripts/chromium.mjs');
  const { launcher } = await import('./launcher.mjs');
  const { executablePath } = await findChromium({ install: true });
  const browser = await launcher(executablePath)();
  try {
    console.log(`\n${againstTable(await measureAgainst(browser, folder, options))}`);
  } finally {
    await browser.close();
  }
}

async function measure() {
  if (values.gpu) return measureGpu(options, values.from);
  const { measureInBrowser } = await import('./browser-figures.mjs');
  return measureInBrowser({ ...options, presets: !values['skip-presets'], page: !values['skip-page'] });
}

if (values.against !== undefined && !existsSync(path.join(values.against, 'bench', 'run.mjs')))
  refuse(`--against ${values.against}: the folder is not a checkout of Lockstep: it has no bench/run.mjs.`);
if (values.tables !== undefined) {
  await takeTables();
  process.exit();
}
if (values.against !== undefined) {
  await besideAnother(values.against).catch(unlessUnknown);
  process.exit();
}
const result = await measure().catch(unlessUnknown);
mkdirSync(path.join(root, '.cache'), { recursive: true });
writeFileSync(path.join(root, '.cache', 'bench.json'), `${JSON.stringify(result, null, 2)}\n`);
console.log(`\n${report(result)}`);
console.log(JSON.stringify(result));
