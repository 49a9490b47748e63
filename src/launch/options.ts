/**
 * Parses a launcher's options as argparse and getopt do: `--name value`, `--name=value`, `-n 4`, `-n4`, dashes or
 * underscores. The rest of the line is the script.
 */
import { LockstepError } from '../base/errors';
import { lookup } from '../base/lookup';
import { nearNames } from '../base/near-name';

export interface OptionTable {
  /** The launcher's name in errors. */
  readonly launcher: string;
  /** The options by name with underscores: whether a value follows. */
  readonly long: Readonly<Record<string, 'value' | 'flag'>>;
  /** Short forms: '-N' -> 'nodes'. */
  readonly short: Readonly<Record<string, string>>;
  /** The script's options may follow directly; the first unknown option begins them. */
  readonly takesScriptOptions?: boolean;
}

export interface GivenOptions {
  /** Name with underscores -> value; '' for a flag. The last value counts. */
  readonly given: ReadonlyMap<string, string>;
  readonly rest: readonly string[];
}

export const launchError = (message: string, hint: string): LockstepError => new LockstepError('config', message, hint);

export function readOptions(
  words: readonly string[],
  { launcher, long, short, takesScriptOptions }: OptionTable,
): GivenOptions {
  const given = new Map<string, string>();
  let i = 0;
  const take = (name: string, shown: string, attached: string | undefined) => {
    if (lookup(long, name) === 'flag') {
      if (attached !== undefined)
        throw launchError(`${launcher}: ${shown} is a switch and accepts no value.`, `Write ${shown} alone.`);
      given.set(name, '');
      return;
    }
    const value = attached ?? words[++i];
    if (value === undefined || value === '')
      throw launchError(`${launcher}: argument ${shown}: expected one argument.`, `Write ${shown}=VALUE.`);
    given.set(name, value);
  };
  for (; i < words.length; i++) {
    const word = words[i] ?? '';
    if (word === '--') return { given, rest: words.slice(i + 1) };
    if (!word.startsWith('-') || word === '-') break;
    const equals = word.indexOf('=');
    if (word.startsWith('--')) {
      const shown = equals < 0 ? word : word.slice(0, equals);
      const name = shown.slice(2).replaceAll('-', '_');
      if (!Object.hasOwn(long, name) && takesScriptOptions) break;
      if (!Object.hasOwn(long, name)) throw unknown(launcher, shown, Object.keys(long));
      take(name, shown, equals < 0 ? undefined : word.slice(equals + 1));
      continue;
    }
    const shown = word.slice(0, 2);
    const name = lookup(short, shown.slice(1));
    if (name === undefined) throw unknown(launcher, shown, Object.keys(long));
    take(name, shown, word.length > 2 ? word.slice(word[2] === '=' ? 3 : 2) : undefined);
  }
  return { given, rest: words.slice(i) };
}

function unknown(launcher: string, shown: string, names: readonly string[]): LockstepError {
  const near = nearNames(shown.replace(/^-+/, '').replaceAll('-', '_'), names);
  const meant = near.map((name) => `--${name}`).join(' or ');
  return launchError(
    `${launcher}: unrecognized argument ${shown}.`,
    meant === '' ? 'Options of the script come after its name.' : `Did you mean ${meant}?`,
  );
}

/** A whole number of at least `least`; `what`: the option as the user wrote it. */
export function wholeNumber(text: string, what: string, least: number): number {
  if (/^\$/.test(text))
    throw launchError(`${what}: the value of ${text} is not known here.`, 'Write the number instead.');
  const value = Number(text);
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(value) && value >= least && value <= 65_535) return value;
  throw launchError(
    `${what} must be a whole number of at least ${least}, not ${JSON.stringify(text)}.`,
    `For example ${Math.max(2, least)}.`,
  );
}
