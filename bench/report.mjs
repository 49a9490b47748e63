/** A result as Markdown, for the terminal and for docs/benchmarks.md. */
import { ratios } from './ratios.mjs';

/**
 * @typedef {import('./result.d.ts').Result} Result
 * @typedef {import('./result.d.ts').Figure} Figure
 */

const MIB = 1024 * 1024;

/** @param {Result} result */
export function report(result) {
  const parts = [
    [`${result.date}; ${result.machine}; ${result.runtime}; adapter ${result.adapter}.`],
    barTable(result),
    figureTable(result),
    presetTable(result),
    ...studyTables(result),
    pageTable(result),
    (result.notes ?? []).map((note) => `- ${note}`),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** @param {string[]} cells */
const row = (cells) => `| ${cells.join(' | ')} |`;
/** @param {string[]} header @param {string[][]} rows */
const table = (header, rows) => [row(header), `|---${'|---:'.repeat(header.length - 1)}|`, ...rows.map(row)];

/** At most four digits, because a measurement is not more precise. @param {number} value */
export function digits(value) {
  if (!Number.isFinite(value)) return '-';
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** @param {Result} result */
function barTable(result) {
  const rows = ratios(result).map(({ title, by, value, unit, bar }) => {
    const say = (/** @type {number} */ number) =>
      unit === 'x' ? `${number.toFixed(2)}x` : `${digits(number)} ${unit}`;
    return [`${title}: ${by}`, say(value), say(bar), value >= bar ? 'yes' : 'no'];
  });
  return rows.length > 0 ? table(['ratio', 'measured', 'bar', 'reached'], rows) : [];
}

/** Medians, with the slowest and the fastest round in brackets. @param {Result} result */
function figureTable({ workloads, contenders, figures }) {
  /** @type {string[]} */
  const problems = [];
  const cell = (/** @type {Figure | undefined} */ figure) => {
    if (figure?.summary) {
      const { median, min, max } = figure.summary;
      return `${digits(median)} (${digits(min)} to ${digits(max)})`;
    }
    if (figure?.problem === undefined) return '';
    if (!problems.includes(figure.problem)) problems.push(figure.problem);
    return `failed [${problems.indexOf(figure.problem) + 1}]`;
  };
  const rows = contenders.map(({ id, title }) => [
    title,
    ...workloads.map((work) => cell(figures.find((each) => each.workload === work.id && each.contender === id))),
  ]);
  const header = ['median (slowest to fastest round)', ...workloads.map(({ title, unit }) => `${title}, ${unit}`)];
  const lines = workloads.length > 0 ? table(header, rows) : [];
  return problems.length > 0 ? [...lines, '', ...problems.map((problem, i) => `[${i + 1}] ${problem}  `)] : lines;
}

/** @param {Result} result */
function presetTable({ presets }) {
  if (presets.length === 0) return [];
  const rows = presets.map(({ title, firstStepMs, peakBytes, problem }) => [
    title,
    problem ?? `${(firstStepMs ?? Number.NaN).toFixed(0)} ms`,
    problem ? '' : '2000 ms',
    peakBytes === undefined ? '' : `${(peakBytes / MIB).toFixed(2)} MiB`,
  ]);
  return table(['preset', 'first step, from opening', 'bar', 'peak memory'], rows);
}

/** @param {Result} result @returns {string[][]} */
const studyTables = ({ studies = [] }) =>
  studies.flatMap(({ title, result, problem }) => {
    if (!result) return [[`${title}: failed: ${problem}`]];
    const rows = result.rows.map((each) => [
      each.title,
      ...each.values.map((value) => (value === undefined ? 'failed' : digits(value))),
    ]);
    const held = result.ratios.map(({ title: what, by, value, bar }) => [
      `${what}: ${by}`,
      `${value.toFixed(2)}x`,
      bar === undefined ? '' : `at most ${bar.toFixed(2)}x`,
      bar === undefined ? '' : value <= bar ? 'yes' : 'no',
    ]);
    return [
      table([title, ...result.columns], rows),
      held.length > 0 ? table(['ratio', 'measured', 'bar', 'reached'], held) : [],
      (result.notes ?? []).map((note) => `- ${note}`),
    ];
  });

/** @param {Result} result */
function pageTable({ page }) {
  if (!page) return [];
  const { firstPaintMs, firstStageMs, playMs, firstPictureMs, playing } = page;
  const { firstLoadKilobytes, pageKilobytes, workersKilobytes, narrowPlayMs } = page;
  const milliseconds = (/** @type {number} */ value) => `${value.toFixed(0)} ms`;
  const start = table(
    ['the page', 'measured'],
    [
      ['first paint', milliseconds(firstPaintMs)],
      ['rooms on the stage', milliseconds(firstStageMs)],
      ['Play can be pressed', milliseconds(playMs)],
      ['first moving picture', milliseconds(firstPictureMs)],
      ['fetched until Play, brotli', `${firstLoadKilobytes.toFixed(1)} kB`],
      ['of it the page', `${pageKilobytes.toFixed(1)} kB`],
      ['of it the session worker', `${workersKilobytes.toFixed(1)} kB`],
      ['until Play over a narrow line', milliseconds(narrowPlayMs)],
    ],
  );
  const rows = playing.map(({ name, framesPerSecond, longestGapMs, longTasks, longestTaskMs }) => [
    name,
    framesPerSecond.toFixed(1),
    milliseconds(longestGapMs),
    longTasks > 0 ? `${longTasks} (longest ${milliseconds(longestTaskMs)})` : '0',
  ]);
  return [...start, '', ...table(['playing at full speed, 5 s', 'frames/s', 'longest gap', 'tasks over 50 ms'], rows)];
}
