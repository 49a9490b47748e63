/** Runs a tool of node_modules/.bin and waits for it; used by test.mjs and check.mjs. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { root } from './install.mjs';

/**
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [environment] added to this process's own
 * @returns {Promise<number>} its exit status
 */
export function runBin(command, args, environment = {}) {
  return new Promise((resolve) => {
    const windows = process.platform === 'win32';
    const file =
      command === 'node'
        ? process.execPath
        : path.join(root, 'node_modules', '.bin', windows ? `${command}.cmd` : command);
    const child = spawn(file, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...environment },
      shell: windows,
    });
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
