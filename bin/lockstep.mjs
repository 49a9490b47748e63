#!/usr/bin/env node
/**
 * `npx lockstep`. Installed from the package it runs the command line that came with it. Inside a clone it first builds
 * that into dist-cli/ when it is missing or older than its sources. It runs in a child process where Dawn needs a
 * Vulkan driver named in the environment.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { exitStatus } from '../scripts/exit-status.mjs';
import { ensureInstalled, requireNode, root } from '../scripts/install.mjs';
import { vulkanEnvironment } from '../scripts/software-vulkan.mjs';

const bundle = path.join(root, 'dist-cli', 'lockstep.mjs');
const args = process.argv.slice(2);
/** The package has no sources. */
const inClone = existsSync(path.join(root, 'src', 'cli', 'main.ts'));

async function buildWhenOld() {
  ensureInstalled();
  const { isCurrent } = await import('../scripts/is-current.mjs');
  if (isCurrent(root, 'dist-cli/lockstep.mjs', ['src', 'assembly', 'shaders', 'scripts'])) return;
  const { buildCommandLine } = await import('../scripts/build-cli.mjs');
  await buildCommandLine();
}

requireNode();
if (inClone)
  await buildWhenOld().catch((error) => {
    console.error(`lockstep: the command line does not build.\n${error instanceof Error ? error.message : error}`);
    process.exit(1);
  });
const computes = ['train', 'torchrun', 'srun', 'collectives', 'bench'].includes(args[0] ?? '');
const environment = computes ? vulkanEnvironment({ preferSoftware: false }) : {};
if (environment === undefined || Object.keys(environment).length === 0) {
  await import(pathToFileURL(bundle).href);
} else {
  const child = spawn(process.execPath, [bundle, ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  // The child ends in its own way and this process waits for it. A terminal's Ctrl+C reaches both; a signal sent to
  // this process, only this one.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(exitStatus(code, signal)));
}
