/**
 * Finds the comments and the prose of a source or a document that are wider than 120 columns, and also wide code in
 * kernels and Python, which no formatter wraps. Called by columns.mjs.
 */

const WIDTH = 120;
const COMMENT = /^\s*(\/\/|\/\*|\*)/;
const TABLE = /^\s*\|/;
const ONE_WORD = /^\s*([-*] |\/\/ |\* )?\S+$/;

/**
 * @param {string} file its ending says whether it is a document
 * @param {string} text
 * @returns {number[]} line numbers, from 1
 */
export const wideLines = (file, text) => {
  const document = file.endsWith('.md');
  const unformatted = /\.(wgsl|py)$/.test(file);
  const wide = [];
  let inCode = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (document && line.trimStart().startsWith('```')) inCode = !inCode;
    if (line.length <= WIDTH || ONE_WORD.test(line)) continue;
    if (document ? !inCode && !TABLE.test(line) : unformatted || COMMENT.test(line)) wide.push(index + 1);
  }
  return wide;
};
