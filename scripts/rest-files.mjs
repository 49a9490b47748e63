/**
 * Test files that belong to the rest as a whole (scripts/tier.ts): a quick run does not load them. The comment at the
 * head of such a file ends with `@module-tag rest`, which Vitest reads, and the reason why the quick tier can do
 * without the file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The reason why the whole file is in the rest, '' if there is no reason; undefined if the file is not in the rest.
 *
 * @param {string} source
 * @returns {string | undefined}
 */
export function restOf(source) {
  const [, reason] = /^\/\*(?:(?!\*\/)[\s\S])*?\*\s*@module-tag rest\b:?([\s\S]*?)\*\//.exec(source) ?? [];
  return reason?.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim();
}

/**
 * By file name, relative to the root, with slashes.
 *
 * @param {string} root
 * @returns {Map<string, string>}
 */
export function restFiles(root) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const folder of ['src', 'learn', 'scripts', 'bench', 'fuzz'])
    for (const inside of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.test\.tsx?$/.test(inside)) continue;
      const reason = restOf(readFileSync(path.join(root, folder, inside), 'utf8'));
      if (reason !== undefined) found.set(`${folder}/${inside.replaceAll(path.sep, '/')}`, reason);
    }
  return found;
}
