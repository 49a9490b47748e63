/**
 * JSON as Python's json.dump writes it: NaN, Infinity and -Infinity may stand for numbers. NaN is read as null, which
 * is what JSON.stringify makes of it. Called by read-report.ts.
 */
import { brief } from '../base/brief';

/** Throws an Error that names the place at which the text is not JSON. */
export function parseLooseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw new Error(words(error, text));
  }
  try {
    return JSON.parse(withoutPythonsNumbers(text));
  } catch (error) {
    throw new Error(words(error, text));
  }
}

/** JSON.parse reads 1e999 as Infinity. Lines are unchanged; columns may move by some characters. */
const STRICT: ReadonlyMap<string, string> = new Map([
  ['NaN', 'null'],
  ['-NaN', 'null'],
  ['Infinity', '1e999'],
  ['-Infinity', '-1e999'],
]);

/** Reads each character once, even if quotes are missing. */
function withoutPythonsNumbers(text: string): string {
  const token = /"|-?\b(?:NaN|Infinity)\b/g;
  const pieces: string[] = [];
  let from = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    if (found[0] === '"') {
      token.lastIndex = endOfText(text, found.index + 1);
      continue;
    }
    pieces.push(text.slice(from, found.index), STRICT.get(found[0]) ?? '');
    from = token.lastIndex;
  }
  return [...pieces, text.slice(from)].join('');
}

/** The position after the quote that ends the text which began before `at`. */
function endOfText(text: string, at: number): number {
  const sign = /["\\]/g;
  sign.lastIndex = at;
  for (let found = sign.exec(text); found; found = sign.exec(text)) {
    if (found[0] === '"') return sign.lastIndex;
    sign.lastIndex++;
  }
  return text.length;
}

/** Rewords a parser's error: Node and browsers name a character, a line or neither; users need the line. */
function words(error: unknown, text: string): string {
  const message = brief(error instanceof Error ? error.message : String(error), 200);
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined || /line \d/.test(message)) return message;
  const before = text.slice(0, Number(position)).split('\n');
  return `${message} (line ${before.length} column ${(before.at(-1) ?? '').length + 1})`;
}
