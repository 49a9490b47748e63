/**
 * The import lines of the PyTorch script, in the order that isort gives them: the standard library, other packages,
 * torch. Called by script.ts.
 */

const STANDARD: ReadonlySet<string> = new Set([
  'collections',
  'contextlib',
  'copy',
  'datetime',
  'fnmatch',
  'json',
  'math',
  'os',
]);

/** `import math` or `from torch import nn`, with the module that it names. */
interface Parsed {
  readonly text: string;
  readonly module: string;
  readonly plain: boolean;
}

function parsed(text: string): Parsed {
  const [word = '', module = ''] = text.split(' ');
  return { text, module, plain: word === 'import' };
}

const section = ({ module }: Parsed): number => {
  const [package_ = ''] = module.split('.');
  return STANDARD.has(package_) ? 0 : package_ === 'torch' ? 2 : 1;
};

/** Each line once. */
export const importLines = (lines: readonly string[]): readonly string[] =>
  [...new Set(lines)]
    .map(parsed)
    .sort(
      (a, b) =>
        section(a) - section(b) ||
        Number(b.plain) - Number(a.plain) ||
        (a.module < b.module ? -1 : a.module > b.module ? 1 : 0),
    )
    .map(({ text }) => text);
