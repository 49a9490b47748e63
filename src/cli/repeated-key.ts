/**
 * A name that an object in a JSON text has twice: JSON.parse takes the last one and says nothing. Called by
 * read-run.ts, for texts that are JSON.
 */

const TOKENS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\]]/gs;

export interface RepeatedKey {
  readonly name: string;
  /** From 1. */
  readonly line: number;
}

export function repeatedKey(text: string): RepeatedKey | undefined {
  /** The names of the objects that are open; a list has none. */
  const open: (Set<string> | undefined)[] = [];
  for (const { 0: token, 1: inside = '', 2: colon, index } of text.matchAll(TOKENS)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      const name = String(JSON.parse(`"${inside}"`));
      const names = open.at(-1);
      if (names?.has(name)) return { name, line: text.slice(0, index).split('\n').length };
      names?.add(name);
    }
  }
  return undefined;
}
