/**
 * What the fuzzers hold refusals to where no configuration is refused: the message of a damaged file names the file,
 * that of a launch line quotes a word of the line, that of a question to the model names what was given and its value.
 * Configurations are names-settings.ts.
 */
import type { LockstepError } from '../src/base/errors';

const broken = ({ message, code }: LockstepError, what: string): Error => new Error(`${what} (${code}): ${message}`);

/** What stands in quotes. */
const quotedIn = (message: string): readonly string[] =>
  [...message.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text);

/** `names`: of the files that were given; `.zip` and `.gz` are named by what they hold, too. */
export function checkNamesFile(refused: LockstepError, names: readonly string[]): void {
  if (!names.some((name) => refused.message.includes(name))) throw broken(refused, 'no file is named');
}

/** Of `-N4` the option is -N. */
const startOf = (word: string): string => word.slice(0, /^-\w/.test(word) ? 2 : 20);

/** Some word or option of the line; a line without any is called empty. */
export function checkNamesWord(refused: LockstepError, line: string): void {
  const words = line.split(/[^\w.-]+/).filter((word) => /\w/.test(word));
  const { message } = refused;
  if (words.length === 0 || words.some((word) => message.includes(startOf(word)))) return;
  // A part of it in quotes, without a letter perhaps: `- run` begins with "-".
  if (quotedIn(message).some((text) => text !== '' && line.includes(text))) return;
  // What was glued to other words: `16MiBmp.spawn(`.
  if ((message.match(/-[^\s.,:]+|\w+\.\w+/g) ?? []).some((word) => line.includes(word))) return;
  throw broken(refused, 'no word of the line is named');
}

/** One of what was asked with: its name and its value; of a text the part that is wrong, in quotes. */
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
