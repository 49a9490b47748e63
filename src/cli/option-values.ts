/** Rows of options, and what was given for them: what the tables of the commands (usage.ts, collectives-usage.ts) are read with. */

import { parseArgs } from 'node:util';
import { LockstepError } from '../base/errors';
import { lookup } from '../base/lookup';

export interface OptionRow {
  readonly name: string;
  /** Absent: the option takes no value. */
  readonly value?: string;
  readonly text: string;
}

export type Values = Readonly<Record<string, string | boolean | undefined>>;

export const usageError = (message: string): LockstepError =>
  new LockstepError('config', message, 'lockstep --help lists the commands and options.');

export function readOptions(args: readonly string[], rows: readonly OptionRow[]): Values {
  const options = Object.fromEntries(
    rows.map((row) => [row.name, { type: row.value === undefined ? ('boolean' as const) : ('string' as const) }]),
  );
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values as Values;
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error));
  }
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

/** A whole number in its bounds. */
export function wholeOf(values: Values, name: string, low: number, high: number): number | undefined {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= low && value <= high))
    throw usageError(`--${name} must be a number from ${low} to ${high}, not "${text}"`);
  return value;
}

/** `  --name VALUE   what it is`, in columns. */
export function optionLines(rows: readonly OptionRow[]): readonly string[] {
  const label = (row: OptionRow): string => (row.value === undefined ? `--${row.name}` : `--${row.name} ${row.value}`);
  const width = Math.max(...rows.map((row) => label(row).length)) + 3;
  return rows.map((row) => `  ${label(row).padEnd(width)}${row.text}`);
}
