/**
 * The figures of a real GPU, where no browser is at hand: the Lockstep workloads through Dawn in Node (dawn.ts, in a process of its own because the Vulkan driver
 * is read from its environment), and PyTorch's on the same GPU where Python has it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'vite';
import { root } from '../scripts/install.mjs';
import { vulkanEnvironment } from '../scripts/software-vulkan.mjs';
import { machine } from './machine.mjs';
import { chosen, summary } from './summary.mjs';

/** @param {import('./workload-figures.mjs').Options} options @returns {Promise<import('./result.d.ts').Result>} */
export async function measureGpu(options) {
  const environment = vulkanEnvironment({ preferSoftware: false });
  if (environment === undefined)
    throw new Error('No Vulkan driver was found: install the GPU driver, or Chromium for its software one.');
  const outDir = path.join(root, '.cache', 'bench-dawn');
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      ssr: 'bench/dawn.ts',
      outDir,
      emptyOutDir: true,
      target: 'node20',
      rolldownOptions: { external: ['webgpu'], output: { entryFileNames: 'dawn.mjs', codeSplitting: false } },
    },
  });
  const own = await resultOf(process.execPath, [path.join(outDir, 'dawn.mjs')], options, environment);
  if ('problem' in own) throw new Error(`Lockstep could not be measured through Dawn: ${own.problem}`);
  const beside = await pytorch(options);
  const ids = new Set(own.workloads.map((/** @type {{id: string}} */ { id }) => id));
  const figures = beside.figures.filter(({ workload }) => ids.has(workload));
  return {
    ...machine(),
    runtime: `Dawn in Node ${process.versions.node}`,
    ...own,
    contenders: [...own.contenders, ...(figures.length > 0 ? beside.contenders : [])],
    figures: [...own.figures, ...figures],
    presets: [],
    notes: [...own.notes, ...beside.notes],
  };
}

/** @param {import('./workload-figures.mjs').Options} options */
async function pytorch(options) {
  if (!chosen('pytorch', options.contenders)) return { contenders: [], figures: [], notes: [] };
  const python = process.env['LOCKSTEP_PYTHON'] ?? 'python3';
  const found = await resultOf(python, [path.join(root, 'bench', 'pytorch_reference.py')], options, {});
  if ('problem' in found) return { contenders: [], figures: [], notes: [`PyTorch was not measured: ${found.problem}`] };
  return {
    contenders: [
      { id: 'pytorch', title: `PyTorch ${found.version}, ${found.device}`, library: 'pytorch', backend: 'cuda' },
    ],
    figures: Object.entries(found.rounds).map(([workload, rounds]) => ({
      workload,
      contender: 'pytorch',
      summary: summary(/** @type {number[]} */ (rounds)),
    })),
    notes: [],
  };
}

/**
 * Runs a program that gets the options and the name of a file for its JSON. Its own words go to the terminal.
 * @param {string} command
 * @param {string[]} args
 * @param {unknown} options
 * @param {Record<string, string>} environment
 * @returns {Promise<any>}
 */
async function resultOf(command, args, options, environment) {
  const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-bench-'));
  const file = path.join(folder, 'result.json');
  const child = spawn(command, [...args, JSON.stringify(options), file], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...environment },
  });
  try {
    /** @type {string | undefined} */
    const problem = await new Promise((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('exit', (code, signal) => resolve(code === 0 ? undefined : `it ended with ${signal ?? code}`));
    });
    return problem === undefined ? JSON.parse(readFileSync(file, 'utf8')) : { problem };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
