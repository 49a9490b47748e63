/** Whether a built file is newer than all of its sources. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** @param {string} entry a file or a folder @returns {number} */
function newest(entry) {
  const info = statSync(entry, { throwIfNoEntry: false });
  if (!info?.isDirectory()) return info?.mtimeMs ?? 0;
  return Math.max(info.mtimeMs, ...readdirSync(entry).map((inside) => newest(path.join(entry, inside))));
}

/** @param {string} root @param {string} built @param {readonly string[]} sources */
export function isCurrent(root, built, sources) {
  const made = statSync(path.join(root, built), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sources.every((source) => made > newest(path.join(root, source)));
}
