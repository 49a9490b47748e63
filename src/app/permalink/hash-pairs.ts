/** Converts a link to ordered keys with values, and back, with the escapes of an address. */

export type HashPair = readonly [key: string, text: string];

/** Half of a UTF-16 surrogate pair: a file's name may contain one, but a link cannot. */
const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const whole = (text: string): string => text.replace(HALF, '\ufffd');

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // A stray % must not lose the rest of the link.
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
