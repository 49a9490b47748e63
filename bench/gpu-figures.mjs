/**
 * The figures of a real GPU on a machine without a browser: the Lockstep workloads through Dawn in Node (dawn.ts, in
 * its own process, because the Vulkan driver is read from its environment), and PyTorch's figures on the same GPU if
 * Python has torch.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'vite';
import { assembly } from '../scripts/assembly.mjs';
import { root } from '../scripts/install.mjs';
import { vulkanEnvironment } from '../scripts/software-vulkan.mjs';
import { chosen, summary } from './summary.mjs';

/**
 * @param {import('./workload-figures.mjs').Options} options
 * @param {string} [from] a folder with dawn.json and pytorch.json, written by those programs on a machine that has no
 * npm
 * @returns {Promise<import('./result.d.ts').Result>}
 */
export async function measureGpu(options, from) {
  const own = from ? fileIn(from, 'dawn.json') : await dawn(options);
  if ('problem' in own) throw new Error(`Lockstep could not be measured through Dawn: ${own.problem}`);
  const beside = chosen('pytorch', options.contenders)
    ? asFigures(from ? fileIn(from, 'pytorch.json') : await pytorch(options))
    : NONE;
  const ids = new Set(own.workloads.map((/** @type {{id: string}} */ { id }) => id));
  const figures = beside.figures.filter(({ workload }) => ids.has(workload));
  return {
    ...own,
    contenders: [...own.contenders, ...(figures.length > 0 ? beside.contenders : [])],
    figures: [...own.figures, ...figures],
    presets: [],
    notes: [...own.notes, ...beside.notes],
  };
}

/** @param {import('./workload-figures.mjs').Options} options */
async function dawn(options) {
  const environment = vulkanEnvironment({ preferSoftware: false });
  if (environment === undefined)
    return { problem: "no Vulkan driver was found; install the GPU's driver, or Chromium for its software one" };
  return resultOf(process.execPath, [await buildDawn()], options, environment);
}

/** One file that needs only the package `webgpu` beside it. */
async function buildDawn() {
  const outDir = path.join(root, '.cache', 'bench-dawn');
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [assembly()],
    ssr: { noExternal: true },
    build: {
      ssr: 'bench/dawn.ts',
      outDir,
      emptyOutDir: true,
      target: 'node20',
      rolldownOptions: { external: ['webgpu'], output: { entryFileNames: 'dawn.mjs', codeSplitting: false } },
    },
  });
  return path.join(outDir, 'dawn.mjs');
}

/** @param {import('./workload-figures.mjs').Options} options */
const pytorch = (options) =>
  resultOf(
    process.env['LOCKSTEP_PYTHON'] ?? 'python3',
    [path.join(root, 'bench', 'pytorch_reference.py')],
    options,
    {},
  );

/**
 * @type {{contenders: import('./result.d.ts').ContenderInfo[], figures: import('./result.d.ts').Figure[], notes:
 * string[]}}
 */
const NONE = { contenders: [], figures: [], notes: [] };

/** @param {any} found @returns {typeof NONE} */
function asFigures(found) {
  if ('problem' in found) return { ...NONE, notes: [`PyTorch was not measured: ${found.problem}`] };
  const title = `PyTorch ${found.version}, ${found.device}`;
  return {
    contenders: [{ id: 'pytorch', title, library: 'pytorch', backend: 'cuda' }],
    figures: Object.entries(found.rounds).map(([workload, rounds]) => ({
      workload,
      contender: 'pytorch',
      summary: summary(/** @type {number[]} */ (rounds)),
    })),
    notes: [],
  };
}

/** @param {string} folder @param {string} name @returns {any} */
function fileIn(folder, name) {
  const file = path.join(folder, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { problem: `there is no ${file}` };
}

/**
 * Runs a program with the options and the name of a file for its JSON. The program's output goes to the terminal; its
 * last error line describes the problem.
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
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let words = '';
  child.stderr.on('data', (data) => {
    words += data;
    process.stderr.write(data);
  });
  try {
    /** @type {string | undefined} */
    const problem = await new Promise((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('close', (code, signal) => {
        const last = words.trim().split('\n').at(-1);
        resolve(code === 0 ? undefined : last || `it ended with ${signal ?? code}`);
      });
    });
    return problem === undefined ? JSON.parse(readFileSync(file, 'utf8')) : { problem };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
