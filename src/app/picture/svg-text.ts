/** Converts texts and fonts of a canvas to SVG. Pure. */
export interface SvgFont {
  readonly size: number;
  readonly weight: number;
  readonly style: 'italic' | undefined;
  /** A generic family, because the picture's reader has other fonts. */
  readonly family: 'sans-serif' | 'serif' | 'monospace';
}

const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['normal', 400],
  ['bold', 700],
]);

/** '600 12px "IBM Plex Sans", sans-serif' */
export function fontOf(font: string): SvgFont {
  const [, before = '', size = '10', families = ''] = /^(.*?)([\d.]+)px(?:\/\S+)?\s+(.*)$/.exec(font) ?? [];
  const words = before.trim().split(/\s+/);
  const weight = words.map((word) => WEIGHTS.get(word) ?? Number(word)).find((value) => value > 0);
  const family = /mono/i.test(families)
    ? 'monospace'
    : /(^|[^-])\bserif\b/i.test(families) && !/sans-serif|system-ui/i.test(families)
      ? 'serif'
      : 'sans-serif';
  return { size: Number(size), weight: weight ?? 400, style: words.includes('italic') ? 'italic' : undefined, family };
}

/** Whether XML allows a character: it forbids control characters and lone surrogates, which text data may contain. */
const allowed = (code: number): boolean =>
  code === 9 ||
  code === 10 ||
  code === 13 ||
  (code >= 0x20 && code < 0xd800) ||
  (code > 0xdfff && code < 0xfffe) ||
  code > 0xffff;

export const escaped = (text: string): string =>
  [...text]
    .filter((character) => allowed(character.codePointAt(0) ?? 0))
    .join('')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** Wraps text to this width: at spaces, and within a word that is wider than a line. */
export function wrapped(text: string, width: number, widthOf: (text: string) => number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const character of word) {
      if (line !== '' && widthOf(line + character) > width) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return line === '' ? lines : [...lines, line];
}
