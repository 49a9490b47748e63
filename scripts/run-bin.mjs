/** Runs tools of node_modules/.bin and waits for them; used by test.mjs and check.mjs. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { root } from './install.mjs';

/**
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} environment added to this process's own
 * @param {'inherit' | 'pipe'} output
 */
function start(command, args, environment, output) {
  const windows = process.platform === 'win32';
  const file =
    command === 'node'
      ? process.execPath
      : path.join(root, 'node_modules', '.bin', windows ? `${command}.cmd` : command);
  return spawn(file, args, {
    cwd: root,
    stdio: ['inherit', output, output],
    env: { ...process.env, ...environment },
    shell: windows,
  });
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [environment] added to this process's own
 * @returns {Promise<number>} its exit status
 */
export function runBin(command, args, environment = {}) {
  return new Promise((resolve) => {
    const child = start(command, args, environment, 'inherit');
    child.on('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.on('exit', (code, signal) => {
      if (signal) console.error(`${command} was ended by ${signal}`);
      resolve(code ?? 1);
    });
  });
}

/**
 * For tools that run at the same time as others: collects the output until the tool has ended.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [environment] added to this process's own
 * @returns {Promise<{status: number, output: string}>}
 */
export function collectBin(command, args, environment = {}) {
  return new Promise((resolve) => {
    const child = start(command, args, environment, 'pipe');
    /** @type {Buffer[]} */
    const pieces = [];
    const output = () => Buffer.concat(pieces).toString('utf8');
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => pieces.push(piece));
    child.on('error', (error) => resolve({ status: 1, output: `${output()}${error.message}\n` }));
    child.on('close', (code, signal) =>
      resolve({ status: code ?? 1, output: `${output()}${signal ? `${command} was ended by ${signal}\n` : ''}` }),
    );
  });
}
