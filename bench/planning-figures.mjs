/**
 * How long Programs take to compile, verify, plan and simulate (src/bench/planning-costs.ts). Builds one file, as for
 * the command line, because modules that are transformed one by one are slower than the code that users run. Called by
 * scripts/costs.mjs and tables.mjs.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { root } from '../scripts/install.mjs';
import { machine } from './machine.mjs';

const AXES = ['layers', 'width', 'ranks', 'micro-batches'];

/** @param {readonly string[]} axes @param {number} rounds */
export async function measurePlanning(axes = AXES, rounds = 5) {
  mkdirSync(path.join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(path.join(root, '.cache', 'costs-'));
  try {
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
    const series = measureCosts(axes, { rounds }, ({ axis, title, points }) =>
      console.error(`${axis}: ${title}: ${points.map(({ totalMs }) => totalMs.toFixed(1)).join(' ')} ms`),
    );
    const { date, machine: name } = machine();
    const text = `${date}; ${name}; Node ${process.versions.node}.\n\n${costTables(series)}`;
    const values = series.flatMap(({ axis, title, points }) => {
      const last = points.at(-1);
      return last ? [{ name: `${title}, ${last.size} ${axis}, ms`, value: last.totalMs }] : [];
    });
    return { series, text, values };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
