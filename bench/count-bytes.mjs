/**
 * `npm run costs -- --bytes`: builds bench/traffic.ts and runs it with a Vulkan driver, which gives the tables. Called
 * by scripts/costs.mjs and tables.mjs.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { assembly } from '../scripts/assembly.mjs';
import { root } from '../scripts/install.mjs';
import { vulkanEnvironment } from '../scripts/software-vulkan.mjs';
import { machine } from './machine.mjs';

/** @param {readonly string[]} [words] only runs whose titles contain all of them are counted */
export async function countBytes(words = []) {
  mkdirSync(path.join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(path.join(root, '.cache', 'traffic-'));
  try {
    return await counted(folder, words);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder for what is built @param {readonly string[]} words */
async function counted(folder, words) {
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [assembly()],
    ssr: { noExternal: true },
    build: {
      ssr: 'bench/traffic.ts',
      outDir: folder,
      target: 'node20',
      rolldownOptions: { external: ['webgpu'], output: { entryFileNames: 'traffic.mjs', codeSplitting: false } },
    },
  });
  const environment = vulkanEnvironment({ preferSoftware: true });
  if (environment === undefined) throw new Error('No Vulkan driver was found: install Chromium or a driver.');
  const file = path.join(folder, 'traffic.md');
  const { status } = spawnSync(process.execPath, [path.join(folder, 'traffic.mjs'), file, ...words], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  // The program has already printed which words match no run.
  if (status === 2) process.exit(status);
  if (status !== 0) throw new Error(`The counting run ended with status ${status}.`);
  const { date, machine: name } = machine();
  return `${date}; ${name}; counted on SwiftShader.\n\n${readFileSync(file, 'utf8')}`;
}
