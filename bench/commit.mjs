import { execFileSync } from 'node:child_process';

/** The commit of a checkout, abbreviated. @param {string} folder */
export const commitOf = (folder) =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim();
