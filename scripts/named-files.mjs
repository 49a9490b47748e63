/**
 * Finds the files that comments of a source name and that do not exist: after a rename, a comment must follow. Called
 * by columns.mjs.
 */

/** Comments between slash and star, and lines that are comments; a `//` inside code may be part of a text. */
const COMMENT = /\/\*.*?\*\/|^[ \t]*\/\/[^\n]*/gms;
const NAME = /(?<![\w/.@*{}<>$-])[\w./-]*\w\.(?:tsx?|mjs|cjs|wgsl|css|mdx)\b/g;
/** Made by a build, or any lesson's. */
const ELSEWHERE = /^dist|\bNAME\b/;

/**
 * Every end of every path: of a file in two folders the path, the path without the first folder, and the bare name.
 * @param {readonly string[]} files
 * @returns {ReadonlySet<string>}
 */
export const endsOf = (files) =>
  new Set(
    files.flatMap((file) => {
      const parts = file.split('/');
      return parts.map((_, index) => parts.slice(index).join('/'));
    }),
  );

/**
 * @param {string} text a source
 * @param {ReadonlySet<string>} ends of all files
 * @returns {string[]} names
 */
export const missingFiles = (text, ends) =>
  [...text.matchAll(COMMENT)].flatMap(([comment]) => {
    // A name may be broken after a hyphen; `node x.mjs` runs a file that a build has made.
    const line = comment.replace(/(\w-)\n\s*\* ?/g, '$1').replace(/`node [^`]*`/g, '');
    const names = [...line.matchAll(NAME)].map(([name]) => name);
    return names.filter((name) => !ELSEWHERE.test(name) && !ends.has(name.replace(/^(\.{1,2}\/)+/, '')));
  });
