/** The options of `lockstep compare`: two files, a bar, and the form of the output. Read by usage.ts. */
import { brief } from '../base/brief';
import { HELP, type OptionRow, textOf, usageError, type Values } from './option-values';

export const COMPARE_OPTIONS: readonly OptionRow[] = [
  {
    name: 'bar',
    value: 'X',
    text: 'largest relative difference within one run, for example 1e-4; without it, float32 rounding, which grows per step',
  },
  { name: 'json', text: 'print the comparison as JSON' },
  HELP,
];

export interface CompareOptions {
  readonly a: string;
  readonly b: string;
  readonly bar?: number;
  readonly json: boolean;
}

export function compareOptions(values: Values, files: readonly string[]): CompareOptions {
  const [a, b, ...more] = files;
  if (a === undefined || b === undefined || more.length > 0)
    throw usageError(`compare needs two reports: lockstep compare A.json B.json (${files.length} given)`);
  if (a === '-' && b === '-') throw usageError('only one of the two reports can come from standard input');
  const bar = textOf(values, 'bar');
  if (bar !== undefined && !(Number(bar) >= 0 && Number(bar) <= 1 && bar.trim() !== ''))
    throw usageError(`--bar must be a relative difference from 0 to 1, as in 1e-4, not "${brief(bar)}"`);
  return { a, b, json: values['json'] === true, ...(bar === undefined ? {} : { bar: Number(bar) }) };
}
