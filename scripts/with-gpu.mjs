/**
 * Runs a command of node_modules/.bin with a Vulkan driver for Dawn in its environment:
 * `node scripts/with-gpu.mjs vitest run --project gpu src/runtime`.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';
import { vulkanEnvironment } from './software-vulkan.mjs';

readArguments({
  command: 'npm run gpu --',
  about:
    'Runs a command of node_modules/.bin with a Vulkan driver for Dawn in its environment, for example vitest run --project gpu src/runtime.',
  passesOnTo: 'the command, whose name comes first',
});
const [command = 'vitest', ...args] = process.argv.slice(2);
if (command.startsWith('-')) {
  console.error(`There is no option ${command}. The name of a command comes first; npm run gpu -- --help shows one.`);
  process.exit(2);
}
ensureInstalled();
const environment = vulkanEnvironment({ preferSoftware: true });
if (environment === undefined) {
  console.error('No Vulkan driver was found: install Chromium, or set LOCKSTEP_CHROMIUM to one.');
  process.exit(3);
}
const result = spawnSync(path.join(root, 'node_modules', '.bin', command), args, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...environment },
  shell: process.platform === 'win32',
});
if (result.error)
  console.error(`${command} did not start (${result.error.message}). Is it a command of node_modules/.bin?`);
process.exit(result.status ?? 1);
