/** The figures as a Markdown table, for the terminal and for docs/benchmarks.md. */
import { readFileSync, writeFileSync } from 'node:fs';

const BEGIN = '<!-- figures: written by npm run bench -- --write -->';
const END = '<!-- end of figures -->';

/** @param {any} result */
export function markdownTable(result) {
  const of = (/** @type {string} */ workload, /** @type {string} */ contender) =>
    result.figures.find((/** @type {any} */ each) => each.workload === workload && each.contender === contender)
      ?.stepsPerSecond ?? Number.NaN;
  const workloads = [...new Map(result.figures.map((/** @type {any} */ each) => [each.workload, each.title]))];
  const contenders = [...new Set(result.figures.map((/** @type {any} */ each) => each.contender))];
  const ratio = (/** @type {number} */ a, /** @type {number} */ b) => `${(a / b).toFixed(2)}x`;
  const lines = [`${result.date}; ${result.machine}; ${result.browser}; adapter ${result.adapter}.`, ''];
  lines.push(
    `| ratio | ${workloads.map(([, title]) => title).join(' | ')} |`,
    `|---|${workloads.map(() => '---:|').join('')}`,
  );
  /** @type {[string, string, string][]} */
  const ratios = [
    ['Lockstep Single to jax-js', 'Lockstep, Single', 'jax-js'],
    ['Lockstep Single to TensorFlow.js', 'Lockstep, Single', 'TensorFlow.js'],
    ['Lockstep DDP (4 ranks) to Single', 'Lockstep, DDP, 4 ranks', 'Lockstep, Single'],
  ];
  for (const [name, a, b] of ratios)
    lines.push(`| ${name} | ${workloads.map(([id]) => ratio(of(id, a), of(id, b))).join(' | ')} |`);
  lines.push(
    '',
    `| steps a second | ${workloads.map(([, title]) => title).join(' | ')} |`,
    `|---|${workloads.map(() => '---:|').join('')}`,
  );
  for (const name of contenders)
    lines.push(`| ${name} | ${workloads.map(([id]) => of(id, name).toFixed(1)).join(' | ')} |`);
  if (result.page) {
    const { firstPaintMs, firstPictureMs, longTasks, longestTaskMs, firstLoadKilobytes } = result.page;
    lines.push('', '| the page | |', '|---|---:|');
    lines.push(`| first paint | ${firstPaintMs.toFixed(0)} ms |`);
    lines.push(`| first moving picture | ${firstPictureMs.toFixed(0)} ms |`);
    lines.push(
      `| tasks over 50 ms on the main thread, 5 s of DDP with 8 ranks | ${longTasks}${longTasks > 0 ? ` (longest ${longestTaskMs.toFixed(0)} ms)` : ''} |`,
    );
    lines.push(`| first load, brotli | ${firstLoadKilobytes.toFixed(1)} kB |`);
  }
  return `${lines.join('\n')}\n`;
}

/** @param {string} file @param {string} table */
export function writeIntoDocs(file, table) {
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`${file} has no place for the figures ("${BEGIN}" ... "${END}")`);
  writeFileSync(file, `${text.slice(0, from + BEGIN.length)}\n${table}${text.slice(to)}`);
}
