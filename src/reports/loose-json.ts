/**
 * JSON as Python's json.dump writes it: NaN, Infinity and -Infinity may stand for numbers. NaN is read as null, which
 * is what JSON.stringify makes of it. Called by read-report.ts.
 */
import { brief } from '../base/brief';

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/gs;

/** Throws an Error that says where the text is not JSON. */
export function parseLooseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw new Error(words(error, text));
  }
  const strict = text.replace(TOKENS, (token) => {
    if (token.startsWith('"')) return token;
    // JSON.parse reads a number that is too great as Infinity. Lines stay; columns may move by some characters.
    return token === 'Infinity' ? '1e999' : token === '-Infinity' ? '-1e999' : 'null';
  });
  try {
    return JSON.parse(strict);
  } catch (error) {
    throw new Error(words(error, text));
  }
}

/** The parsers of Node and of browsers count characters, lines or neither; people count lines. */
function words(error: unknown, text: string): string {
  const message = brief(error instanceof Error ? error.message : String(error), 200);
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined || /line \d/.test(message)) return message;
  const before = text.slice(0, Number(position)).split('\n');
  return `${message} (line ${before.length} column ${(before.at(-1) ?? '').length + 1})`;
}
