/** How a result is printed, checked before it is timed, and kept. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { disagreement } from './check-losses.mjs';
import { report } from './report.mjs';
import type { Result } from './result';
import { valuesOf } from './result-values.mjs';
import { checkNames, chosen, NONE, summary } from './summary.mjs';
import { TABLES, tablesNamed } from './tables.mjs';
import { table } from './tables-against.mjs';
import { beginOf, endOf, withTable } from './tables-document.mjs';

const summaryOf = (...rounds: number[]) => summary(rounds);

const RESULT: Result = {
  date: '2026-01-01',
  machine: 'a machine',
  runtime: 'a browser',
  adapter: 'an adapter',
  workloads: [
    { id: 'cnn', title: 'CNN', unit: 'steps/s' },
    { id: 'gpt', title: 'GPT', unit: 'steps/s' },
  ],
  contenders: [
    { id: 'lockstep-single', title: 'Lockstep', library: 'lockstep', backend: 'webgpu' },
    { id: 'jax-webgpu', title: 'jax', library: 'jax', backend: 'webgpu' },
  ],
  figures: [
    { workload: 'cnn', contender: 'lockstep-single', summary: summaryOf(9, 12, 10) },
    { workload: 'cnn', contender: 'jax-webgpu', problem: 'no convolution' },
    { workload: 'gpt', contender: 'lockstep-single', summary: summaryOf(1, 2, 1.5) },
    { workload: 'gpt', contender: 'jax-webgpu', summary: summaryOf(1) },
  ],
  presets: [{ title: 'MLP', firstStepMs: 512.3, peakBytes: 2 * 1024 * 1024 }],
  studies: [
    {
      id: 'all-reduce-shared',
      title: 'an all-reduce',
      result: {
        columns: ['Lockstep, ms', 'bare, ms'],
        rows: [
          { title: '1 MiB', values: [2, 1.6] },
          { title: '2 MiB', values: [undefined, 3] },
        ],
        ratios: [
          { title: '1 MiB', by: 'Lockstep to bare', value: 1.25, bar: 1.25 },
          { title: '2 MiB', by: 'Lockstep to bare', value: 1.26, bar: 1.25 },
          { title: '1 MiB', by: 'Lockstep to a kernel', value: 2 },
        ],
        notes: ['2 MiB did not fit'],
      },
    },
    { id: 'overlap', title: 'overlap', problem: 'no worker' },
  ],
  notes: ['a note'],
};

it('shows medians with their spread, failures with their reason, ratios with their bar', () => {
  const text = report(RESULT);
  expect(text).toContain('| GPT: Lockstep to jax | 1.50x | 2.00x | no |');
  expect(text).toContain('| Lockstep | 10.0 (9.00 to 12.0) | 1.50 (1.00 to 2.00) |');
  expect(text).toContain('| jax | failed [1] | 1.00 (1.00 to 1.00) |');
  expect(text).toContain('[1] no convolution');
  expect(text).toContain('| MLP | 512 ms | 2000 ms | 2.00 MiB |');
  expect(text).toContain('| an all-reduce | Lockstep, ms | bare, ms |');
  expect(text).toContain('| 1 MiB | 2.00 | 1.60 |');
  expect(text).toContain('| 2 MiB | failed | 3.00 |');
  expect(text).toContain('| 1 MiB: Lockstep to bare | 1.25x | at most 1.25x | yes |');
  expect(text).toContain('| 2 MiB: Lockstep to bare | 1.26x | at most 1.25x | no |');
  expect(text).toContain('| 1 MiB: Lockstep to a kernel | 2.00x |  |  |');
  expect(text).toContain('- 2 MiB did not fit');
  expect(text).toContain('overlap: failed: no worker');
  expect(text).toContain('- a note');
});

it('replaces a table between its marks, and only there', () => {
  const document = `intro\n${beginOf('cpu')}\n\nold\n\n${endOf('cpu')}\nprose\n`;
  expect(withTable(document, 'cpu', 'new\n')).toBe(`intro\n${beginOf('cpu')}\n\nnew\n\n${endOf('cpu')}\nprose\n`);
  const long = `${'a word '.repeat(30)}\n\n| ${'x'.repeat(150)} |`;
  const lines = withTable(document, 'cpu', long).split('\n');
  expect(lines.filter((line) => line.length > 120)).toEqual([`| ${'x'.repeat(150)} |`]);
  expect(lines.join(' ')).toContain('a word '.repeat(30).trim());
  expect(() => withTable(document, 'gpt2', 'new')).toThrow('no lines <!-- table gpt2');
});

it('has a place in the document for every table, and no other', () => {
  const document = readFileSync('docs/benchmarks.md', 'utf8');
  const ids = TABLES.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(withTable(document, id, 'new')).toContain(beginOf(id));
  expect([...document.matchAll(/<!-- table ([\w-]+):/g)].map(([, id]) => id).toSorted()).toEqual(ids.toSorted());
  expect(tablesNamed(['gpt2', 'cpu']).map(({ id }) => id)).toEqual(['cpu', 'gpt2']);
  expect(tablesNamed(['all'])).toBe(TABLES);
});

it('names the numbers of a result, and compares those of two checkouts turn by turn', () => {
  expect(valuesOf(RESULT)).toEqual([
    { name: 'CNN, Lockstep, steps/s', value: 10 },
    { name: 'GPT, Lockstep, steps/s', value: 1.5 },
    { name: 'GPT, jax, steps/s', value: 1 },
    { name: 'MLP, first step, ms', value: 512.3 },
    { name: '1 MiB: Lockstep, ms', value: 2 },
    { name: '1 MiB: bare, ms', value: 1.6 },
    { name: '2 MiB: bare, ms', value: 3 },
  ]);
  const before = new Map([['a', [10, 20, 30]]]);
  const after = new Map(Object.entries({ a: [20, 20, 90], b: [1] }));
  expect(table([before, after], ['old', 'new']).split('\n').slice(2)).toEqual([
    '| a | 20.0 | 20.0 | 2.00x | 1.00 to 3.00 |',
  ]);
});

it('sums up rounds', () => {
  expect(summaryOf(4, 1, 3, 2)).toEqual({ median: 2.5, min: 1, max: 4, rounds: [4, 1, 3, 2] });
  expect(chosen('jax-wasm', [])).toBe(true);
  expect(chosen('jax-wasm', ['lockstep', 'jax'])).toBe(true);
  expect(chosen('jax-wasm', ['lockstep'])).toBe(false);
});

it('refuses a name that selects nothing', () => {
  const ids = ['cnn', 'gpt'];
  expect(() => checkNames('only', ['c', 'gpt', NONE], ids)).not.toThrow();
  expect(() => checkNames('only', ['gpt', 'resnet'], ids)).toThrow(
    '--only: nothing begins with "resnet". The names are cnn, gpt.',
  );
});

it('finds numbers that do not agree to a thousandth', () => {
  expect(disagreement([2, 1.0009], [2, 1])).toBeUndefined();
  expect(disagreement([2, 1.002], [2, 1])).toContain('number 2 is 1.002');
  expect(disagreement([0.00001], [0])).toBeUndefined();
  expect(disagreement([0.4005], [0.4])).toContain('disagrees');
  expect(disagreement([Number.NaN], undefined)).toContain('number 1');
  expect(disagreement([1], undefined)).toBeUndefined();
  expect(disagreement([1], [1, 2])).toContain('expected 2');
});
