/** A link as keys with values, in their order, and back: what is escaped in an address, and how. */

export type HashPair = readonly [key: string, text: string];

/** Half of a pair of UTF-16, which a file's name may have, is no character that a link could hold. */
const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const whole = (text: string): string => text.replace(HALF, '\ufffd');

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // A stray % is no reason to lose the rest of the link.
    return text;
  }
}

export function splitHash(hash: string): readonly HashPair[] {
  return whole(hash)
    .replace(/^#/, '')
    .split('&')
    .filter((part) => part !== '')
    .map((part): HashPair => {
      const cut = part.indexOf('=');
      return cut < 0 ? [decode(part), ''] : [decode(part.slice(0, cut)), decode(part.slice(cut + 1))];
    });
}

const encode = (text: string) => encodeURIComponent(whole(text)).replaceAll('%2C', ',').replaceAll('%3A', ':');

export function joinHash(pairs: readonly HashPair[]): string {
  return pairs.map(([key, text]) => `${encode(key)}=${encode(text)}`).join('&');
}
