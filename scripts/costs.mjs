/**
 * `npm run costs`: measures how the time to compile, verify, plan and simulate a Program grows with layers, width,
 * ranks and micro-batches, and prints tables with exponents (src/bench/planning-costs.ts). `-- layers ranks` measures
 * only these axes. `-- --bytes` counts instead the bytes that the kernels of every preset read and write
 * (bench/count-bytes.mjs).
 */
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

const AXES = ['layers', 'width', 'ranks', 'micro-batches'];
const { values, words } = readArguments({
  command: 'npm run costs --',
  about:
    'Measures how long Programs take to compile, verify, plan and simulate, and how that grows with layers, width, ranks and micro-batches. Prints a table for each axis, with the exponent of a fitted line: 1 is proportional, 2 is quadratic.',
  words: `AXIS: ${AXES.join(', ')}; without it, all. With --bytes: words of the runs to count, such as gpt or DDP`,
  options: {
    rounds: {
      value: 'N',
      default: '5',
      positive: true,
      help: 'How often each size is measured; the shortest time counts.',
    },
    most: { value: 'X', positive: true, help: 'Fail if an exponent by instructions is above X.' },
    bytes: {
      help: 'Count instead the bytes that each kernel reads and writes in a step of each preset.',
    },
    write: { help: 'With --bytes: write the tables into docs/benchmarks.md.' },
  },
});
ensureInstalled();
const unknown = values.bytes ? undefined : words.find((axis) => !AXES.includes(axis));
if (values.write && (!values.bytes || words.length > 0)) {
  console.error('--write needs --bytes and takes no words: docs/benchmarks.md has the tables of all runs.');
  process.exit(2);
}
if (unknown !== undefined) {
  console.error(`There is no axis "${unknown}": choose from ${AXES.join(', ')}, or name none for all.`);
  process.exit(2);
}
const { mkdir, mkdtemp, rm } = await import('node:fs/promises');
const path = await import('node:path');
const { pathToFileURL } = await import('node:url');
const { build } = await import('vite');
const { machine } = await import('../bench/machine.mjs');
// Builds one file, as for the command line: modules that are transformed one by one are slower than the code that users
// run.
await mkdir(path.join(root, '.cache'), { recursive: true });
const folder = await mkdtemp(path.join(root, '.cache', 'costs-'));
try {
  if (values.bytes) await (await import('../bench/count-bytes.mjs')).countBytes(folder, words, values.write);
  else await measureTimes();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measureTimes() {
  await build({
    root,
    logLevel: 'error',
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: 'src/bench/planning-costs.ts',
      outDir: folder,
      target: 'node20',
      rolldownOptions: { external: ['webgpu'], output: { entryFileNames: 'costs.mjs', codeSplitting: false } },
    },
  });
  /** @type {typeof import('../src/bench/planning-costs.ts')} */
  const { measureCosts, costTables } = await import(pathToFileURL(path.join(folder, 'costs.mjs')).href);
  const asked = words.length === 0 ? AXES : words;
  const all = measureCosts(asked, { rounds: Number(values.rounds) }, (series) =>
    console.error(`${series.axis}: ${series.title}: ${series.points.map((p) => p.totalMs.toFixed(1)).join(' ')} ms`),
  );
  const { date, machine: name } = machine();
  console.log(`${date}; ${name}; Node ${process.versions.node}.\n\n${costTables(all)}`);
  const most = values.most === undefined ? Number.POSITIVE_INFINITY : Number(values.most);
  const above = all.filter(({ byInstructions }) => (byInstructions ?? 0) > most);
  for (const { axis, title, byInstructions } of above)
    console.error(`${axis}: ${title}: exponent ${byInstructions?.toFixed(2)}, above ${most}`);
  if (above.length > 0) process.exitCode = 1;
}
