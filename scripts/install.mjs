/**
 * Installs the npm packages if they are missing or differ from package-lock.json. Every command calls this first, so
 * that a fresh clone needs only Node and npm. It uses only Node's own modules, because it runs before any package is
 * installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Stops with one sentence and exit code 2 when Node is too old to run Vite. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Lockstep needs Node 20.19 or newer; this is ${process.versions.node}.`);
    process.exit(2);
  }
}

/** @param {string} file */
const packagesOf = (file) =>
  /** @type {Record<string, {version?: string, optional?: boolean}>} */ (
    JSON.parse(readFileSync(file, 'utf8')).packages
  );

/**
 * What npm last put into node_modules against what the lock asks for, by version: a touched but equal lock installs
 * nothing. Packages for other platforms (optional) may be absent.
 */
function installedIsCurrent() {
  const installedFile = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return false;
  const installed = packagesOf(installedFile);
  return Object.entries(packagesOf(path.join(root, 'package-lock.json'))).every(([name, entry]) => {
    if (name === '') return true;
    const there = installed[name];
    return there === undefined ? entry.optional === true : there.version === entry.version;
  });
}

export function ensureInstalled() {
  requireNode();
  if (installedIsCurrent()) return;
  // On standard error, because after a first `lockstep schema > schema.json` the file should contain only the schema.
  console.error('Installing packages (npm ci) ...');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const result = spawnSync(npm, ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['inherit', 2, 'inherit'],
    shell: process.platform === 'win32',
  });
  if (result.status !== 0) {
    console.error('npm ci failed (see above). Check the network or the registry setting of npm, then try again.');
    process.exit(1);
  }
}
