/**
 * CI calls this script before the tests. If no Python has PyTorch, and no other interpreter is named, the script
 * installs Debian's package, if it runs as root on a machine with apt. It prints what it found. It never fails: without
 * torch the tests that need it do not run, and `npm test` says so at its end.
 */
import { spawnSync } from 'node:child_process';
import { findTorch } from './find-torch.mjs';
import { readArguments } from './read-arguments.mjs';

readArguments({
  command: 'node scripts/get-torch.mjs',
  about:
    "Prints which Python has PyTorch. If there is none, and this is the root of a machine with apt, installs Debian's package python3-torch.",
});

/** @param {string} command @param {readonly string[]} args */
const runs = (command, args) =>
  spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status ===
  0;

let { found, problems } = findTorch();
if (
  !found &&
  process.env['LOCKSTEP_PYTHON'] === undefined &&
  process.getuid?.() === 0 &&
  spawnSync('apt-get', ['--version']).status === 0
) {
  console.log(`No PyTorch yet (${problems.join('; ')}): apt-get install python3-torch`);
  runs('apt-get', ['update', '-qq']);
  runs('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'python3-torch']);
  ({ found, problems } = findTorch());
}
console.log(found ? `PyTorch ${found.torch} at ${found.path}` : `No PyTorch: ${problems.join('; ')}`);
