/**
 * What a refusal must name, if the input is not a configuration: the message about a damaged file names the file, the
 * message about a launch line quotes a word of the line, and the message about a question to the model names the input
 * and its value. For configurations see names-settings.ts.
 */
import type { LockstepError } from '../src/base/errors';

const broken = ({ message, code }: LockstepError, what: string): Error => new Error(`${what} (${code}): ${message}`);

/** The texts in quotes. */
const quotedIn = (message: string): readonly string[] =>
  [...message.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text);

/** `names`: the names of the given files; `.zip` and `.gz` files may also be named by their contents. */
export function checkNamesFile(refused: LockstepError, names: readonly string[]): void {
  if (!names.some((name) => refused.message.includes(name))) throw broken(refused, 'no file is named');
}

/** In `-N4` the option is -N. */
const startOf = (word: string): string => word.slice(0, /^-\w/.test(word) ? 2 : 20);

/** A word or an option of the line; a line without words is called empty. */
export function checkNamesWord(refused: LockstepError, line: string): void {
  const words = line.split(/[^\w.-]+/).filter((word) => /\w/.test(word));
  const { message } = refused;
  if (words.length === 0 || words.some((word) => message.includes(startOf(word)))) return;
  // A part of the line in quotes, perhaps without a letter: `- run` begins with "-".
  if (quotedIn(message).some((text) => text !== '' && line.includes(text))) return;
  // A word that was joined to other words: `16MiBmp.spawn(`.
  if ((message.match(/-[^\s.,:]+|\w+\.\w+/g) ?? []).some((word) => line.includes(word))) return;
  throw broken(refused, 'no word of the line is named');
}

/** The name of an input of the question, and its value; of a text the wrong part, in quotes. */
export function checkNamesValue(refused: LockstepError, given: Readonly<Record<string, unknown>>): void {
  const { message } = refused;
  const quoted = quotedIn(message);
  const says = (value: unknown): boolean => {
    if (typeof value !== 'string') return message.includes(String(value));
    const written = JSON.stringify(value);
    return value === ''
      ? message.includes('empty')
      : quoted.some((text) => value.includes(text) || written.includes(text));
  };
  if (!Object.entries(given).some(([name, value]) => message.includes(name) && says(value)))
    throw broken(refused, 'no value is named');
}
