/** Parses the options of a command by the table of its option rows (the files `*-usage.ts`). */
import { parseArgs } from 'node:util';
import { LockstepError } from '../base/errors';
import { lookup } from '../base/lookup';

export interface OptionRow {
  readonly name: string;
  /** The option's one-letter form, as in -h. */
  readonly short?: string;
  /** The name of the value in help; absent: the option takes no value. */
  readonly value?: string;
  /** Whether the option may be given several times. */
  readonly multiple?: boolean;
  readonly text: string;
}

/** The last row of every command. */
export const HELP: OptionRow = { name: 'help', short: 'h', text: 'print this text' };

export type Values = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export const usageError = (message: string): LockstepError =>
  new LockstepError('config', message, 'lockstep --help lists the commands and options.');

export function readOptions(args: readonly string[], rows: readonly OptionRow[]): Values {
  return readOptionsAndFiles(args, rows, false).values;
}

/** For a command that also takes file names without an option before them. */
export function readOptionsAndFiles(
  args: readonly string[],
  rows: readonly OptionRow[],
  allowPositionals = true,
): { readonly values: Values; readonly files: readonly string[] } {
  const options = Object.fromEntries(
    rows.map(({ name, short, value, multiple = false }) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple,
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  try {
    const parsed = parseArgs({ args: [...args], options, strict: true, allowPositionals, tokens: true });
    const once = new Set<string>();
    for (const token of parsed.tokens) {
      if (token.kind !== 'option' || lookup(options, token.name)?.multiple === true) continue;
      if (once.has(token.name)) throw usageError(`--${token.name} is given twice`);
      once.add(token.name);
    }
    return { values: parsed.values as Values, files: parsed.positionals };
  } catch (error) {
    if (error instanceof LockstepError) throw error;
    throw usageError(error instanceof Error ? error.message : String(error));
  }
}

/** All values given for an option. */
export function valuesOf(values: Values, name: string): readonly string[] {
  const value = lookup(values, name);
  return typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
}

export function textOf(values: Values, name: string): string | undefined {
  const value = lookup(values, name);
  return typeof value === 'string' ? value : undefined;
}

export function oneOf<const T extends string>(
  choices: readonly T[],
  name: string,
  value: string | undefined,
): T | undefined {
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw usageError(`--${name} must be ${choices.join(' or ')}, not "${value}"`);
  return found;
}

/** The value as a whole number from `low` to `high`. */
export function wholeOf(values: Values, name: string, low: number, high: number): number | undefined {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= low && value <= high))
    throw usageError(`--${name} must be a number from ${low} to ${high}, not "${text}"`);
  return value;
}

/** Lines of help in columns: ` --name VALUE what it is`. */
export function optionLines(rows: readonly OptionRow[]): readonly string[] {
  const label = (row: OptionRow): string => (row.value === undefined ? `--${row.name}` : `--${row.name} ${row.value}`);
  const width = Math.max(...rows.map((row) => label(row).length)) + 3;
  return rows.map((row) => `  ${label(row).padEnd(width)}${row.text}`);
}
