/**
 * `npm run costs`: how the time to compile, verify, plan and simulate a Program grows with layers, width, ranks and
 * micro-batches, as tables with exponents (src/bench/planning-costs.ts). `-- layers ranks` measures these axes alone.
 * `-- --bytes` counts instead what the kernels of every preset read and write (bench/count-bytes.mjs).
 */
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

const AXES = ['layers', 'width', 'ranks', 'micro-batches'];
const { values, words } = readArguments({
  command: 'npm run costs --',
  about:
    'Measures how long Programs take to compile, verify, plan and simulate, and how that grows with layers, width, ranks and micro-batches. Prints a table for each, with the exponent of a fitted line: 1 is proportional, 2 is quadratic.',
  words: `AXIS: ${AXES.join(', ')}; without it, all. With --bytes: words of the runs to count, such as gpt or DDP`,
  options: {
    rounds: { value: 'N', default: '5', positive: true, help: 'Times each size is measured; the shortest counts.' },
    most: { value: 'X', positive: true, help: 'Fail where an exponent by instructions is above X.' },
    bytes: {
      help: 'Instead: the bytes that each kernel of a step of each preset reads and writes, counted as it runs.',
    },
    write: { help: 'With --bytes: write the tables into docs/benchmarks.md.' },
  },
});
ensureInstalled();
const unknown = values.bytes ? undefined : words.find((axis) => !AXES.includes(axis));
if (values.write && (!values.bytes || words.length > 0)) {
  console.error(
    '--write goes with --bytes, and without words: the tables in docs/benchmarks.md are those of all runs.',
  );
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
// Built as the command line is: modules that are transformed one by one are slower than what people run.
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
