/**
 * Where Vitest keeps the modules it has transformed, so that its four projects, and the next run, need not do it again:
 * half of what a short run takes. Vitest asks for the module's text and the configuration; what transforms it is asked
 * here, so that a change of a plugin begins a new folder, and the one before it goes. So does a file that comes or goes
 * where modules import all files of a folder (import.meta.glob): their own text stays the same.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './install.mjs';

/** Folders that are imported whole. */
const WHOLE = ['shaders', 'learn'];
/** A folder whose files are one module. */
const COMPILED = 'assembly';

/** @returns {string} a folder */
export function transformCache() {
  const plugins = readdirSync(path.join(root, 'scripts')).filter((name) => name.endsWith('.mjs'));
  const files = [...plugins.toSorted().map((name) => `scripts/${name}`), 'vite.config.ts', 'package-lock.json'];
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(path.join(root, file)));
  const assembly = readdirSync(path.join(root, COMPILED)).toSorted();
  for (const file of assembly) hash.update(readFileSync(path.join(root, COMPILED, file)));
  for (const folder of WHOLE)
    hash.update(readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).toSorted().join('\n'));
  const name = hash.digest('hex').slice(0, 12);
  const all = path.join(root, '.cache', 'transformed');
  mkdirSync(all, { recursive: true });
  for (const other of readdirSync(all)) if (other !== name) rmSync(path.join(all, other), { recursive: true });
  return path.join(all, name);
}
