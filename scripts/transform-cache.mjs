/**
 * Where Vitest keeps transformed modules, so that its four projects and the next run need not transform them again,
 * which takes half of the time of a short run. Vitest's key contains the module's text and the configuration, but not
 * the plugins. So this file uses another folder after a change of a plugin, and deletes the old folder. It does the
 * same if a file is added to or removed from a folder of which modules import all files (import.meta.glob), because
 * then the text of these modules does not change.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './install.mjs';

/** Folders of which all files are imported. */
const WHOLE = ['shaders', 'learn', 'src/optim/late', 'src/data/families', 'src/collectives/late'];
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
