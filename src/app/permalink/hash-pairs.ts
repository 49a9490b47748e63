/** A link as keys with values, in their order, and back: what is escaped in an address, and how. */

export type Pair = readonly [key: string, text: string];

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // A stray % is no reason to lose the rest of the link.
    return text;
  }
}

export function splitHash(hash: string): readonly Pair[] {
  return hash
    .replace(/^#/, '')
    .split('&')
    .filter((part) => part !== '')
    .map((part): Pair => {
      const cut = part.indexOf('=');
      return cut < 0 ? [decode(part), ''] : [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
    });
}

/** Half of a pair of UTF-16, which a file's name may have, is no character that a link could hold. */
const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const encode = (text: string) =>
  encodeURIComponent(text.replace(HALF, '\ufffd')).replaceAll('%2C', ',').replaceAll('%3A', ':');

export function joinHash(pairs: readonly Pair[]): string {
  return pairs.map(([key, text]) => `${encode(key)}=${encode(text)}`).join('&');
}
