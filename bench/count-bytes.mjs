/**
 * `npm run costs -- --bytes`: builds bench/traffic.ts, runs it with a Vulkan driver, and prints the tables or writes
 * them into docs/benchmarks.md. Called by scripts/costs.mjs.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { assembly } from '../scripts/assembly.mjs';
import { root } from '../scripts/install.mjs';
import { vulkanEnvironment } from '../scripts/software-vulkan.mjs';
import { machine } from './machine.mjs';

const DOCS = path.join(root, 'docs', 'benchmarks.md');
const [BEGIN, END] = ['<!-- npm run costs -- --bytes --write: begin -->', '<!-- end -->'];

/**
 * @param {string} folder for what is built
 * @param {readonly string[]} words only runs whose titles contain all of them are counted
 * @param {boolean} write into docs/benchmarks.md
 */
export async function countBytes(folder, words, write) {
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
  if (status === 2) {
    process.exitCode = status;
    return;
  }
  if (status !== 0) throw new Error(`The counting run ended with status ${status}.`);
  const { date, machine: name } = machine();
  const text = `${date}; ${name}; counted on SwiftShader.\n\n${readFileSync(file, 'utf8')}`;
  if (!write) {
    console.log(text);
    return;
  }
  const docs = readFileSync(DOCS, 'utf8');
  const [from, to] = [docs.indexOf(BEGIN), docs.indexOf(END, docs.indexOf(BEGIN))];
  if (from < 0 || to < 0) throw new Error(`${DOCS} has no lines ${BEGIN} and ${END}.`);
  writeFileSync(DOCS, `${docs.slice(0, from + BEGIN.length)}\n${text}\n${docs.slice(to)}`);
}
