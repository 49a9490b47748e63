/**
 * `npm run costs`: measures how the time to compile, verify, plan and simulate a Program grows with layers, width,
 * ranks and micro-batches, and prints tables with exponents (src/bench/planning-costs.ts). `-- layers ranks` measures
 * only these axes. `-- --bytes` counts instead the bytes that the kernels of every preset read and write
 * (bench/count-bytes.mjs).
 */
import { ensureInstalled } from './install.mjs';
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
    write: { help: 'Write the tables into docs/benchmarks.md, which has the tables of all axes and all runs.' },
  },
});
ensureInstalled();
const unknown = values.bytes ? undefined : words.find((axis) => !AXES.includes(axis));
if (values.write && words.length > 0) {
  console.error('--write takes no words: docs/benchmarks.md has the tables of all axes, and of all runs.');
  process.exit(2);
}
if (unknown !== undefined) {
  console.error(`There is no axis "${unknown}": choose from ${AXES.join(', ')}, or name none for all.`);
  process.exit(2);
}
if (values.bytes) await print('bytes', await (await import('../bench/count-bytes.mjs')).countBytes(words));
else await measureTimes();

/** @param {string} id @param {string} text */
async function print(id, text) {
  if (values.write) (await import('../bench/tables-document.mjs')).writeTable(id, text);
  else console.log(text);
}

async function measureTimes() {
  const { measurePlanning } = await import('../bench/planning-figures.mjs');
  const { series, text } = await measurePlanning(words.length === 0 ? AXES : words, Number(values.rounds));
  await print('planning', text);
  const most = values.most === undefined ? Number.POSITIVE_INFINITY : Number(values.most);
  const above = series.filter(({ byInstructions }) => (byInstructions ?? 0) > most);
  for (const { axis, title, byInstructions } of above)
    console.error(`${axis}: ${title}: exponent ${byInstructions?.toFixed(2)}, above ${most}`);
  if (above.length > 0) process.exitCode = 1;
}
