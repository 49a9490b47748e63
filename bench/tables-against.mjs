/**
 * Takes tables in two checkouts, before and after: the checkouts take turns, so that other work of the machine slows
 * both. Called by run.mjs for `--tables NAMES --against FOLDER`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../scripts/install.mjs';
import { commitOf } from './commit.mjs';
import { machine } from './machine.mjs';
import { digits } from './report.mjs';
import { median } from './summary.mjs';

/** @typedef {import('./tables.mjs').Value} Value */

/**
 * @param {readonly string[]} ids
 * @param {string} folder of the other checkout, whose packages are installed
 * @param {{turns: number, options: readonly string[]}} how `options`: what else the checkouts' command line has
 * @returns {string} a table that compares every number
 */
export function takeInTurns(ids, folder, { turns, options }) {
  const checkouts = [path.resolve(folder), root];
  /** @type {[Map<string, number[]>, Map<string, number[]>]} */
  const found = [new Map(), new Map()];
  for (let turn = 0; turn < turns; turn++)
    // The checkouts take turns in going first, because a machine that gets slower would favour the first one.
    for (const which of turn % 2 === 0 ? [0, 1] : [1, 0])
      for (const { name, value } of takenBy(checkouts[which] ?? root, ids, options)) {
        const all = found[/** @type {0 | 1} */ (which)];
        all.set(name, [...(all.get(name) ?? []), value]);
      }
  const { date, machine: name } = machine();
  return `${date}; ${name}; ${turns} turns.\n\n${table(found, checkouts.map(commitOf))}`;
}

/** @param {readonly [Map<string, number[]>, Map<string, number[]>]} found @param {readonly string[]} commits */
export function table([before, after], commits) {
  const rows = [...after].flatMap(([name, own]) => {
    const other = before.get(name);
    if (other === undefined) return [];
    const ratios = own.map((value, turn) => value / (other[turn] ?? Number.NaN)).filter(Number.isFinite);
    const sorted = ratios.sort((a, b) => a - b);
    const range = `${(sorted[0] ?? Number.NaN).toFixed(2)} to ${(sorted.at(-1) ?? Number.NaN).toFixed(2)}`;
    const mid = (/** @type {number[]} */ values) => digits(median([...values].sort((a, b) => a - b)));
    return `| ${name} | ${mid(other)} | ${mid(own)} | ${median(sorted).toFixed(2)}x | ${range} |`;
  });
  const head = `| | before (${commits[0]}) | after (${commits[1]}) | median of the turns' ratios | range |`;
  return [head, '|---|---:|---:|---:|---:|', ...rows].join('\n');
}

/** @param {string} checkout @param {readonly string[]} ids @param {readonly string[]} options @returns {Value[]} */
function takenBy(checkout, ids, options) {
  const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-tables-'));
  const file = path.join(folder, 'values.json');
  try {
    const { status } = spawnSync(
      process.execPath,
      [path.join('bench', 'run.mjs'), '--tables', ids.join(','), '--values', file, ...options],
      { cwd: checkout, stdio: ['ignore', 'inherit', 'inherit'] },
    );
    if (status !== 0)
      throw new Error(
        `${checkout}: npm run bench -- --tables ended with status ${status}. In a checkout without --tables, use --against alone.`,
      );
    return JSON.parse(readFileSync(file, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
