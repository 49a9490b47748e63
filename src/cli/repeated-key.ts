/**
 * Finds a name that an object in a JSON text has twice; JSON.parse would silently take the last one. Called by
 * read-run.ts, for valid JSON.
 */

const TOKENS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\]]/gs;

export interface RepeatedKey {
  readonly name: string;
  /** From 1. */
  readonly line: number;
}

export function repeatedKey(text: string): RepeatedKey | undefined {
  /** The names in each open object; undefined for an open list. */
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
