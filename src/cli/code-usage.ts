/** The options of `lockstep code` and `lockstep export`, which write the PyTorch script of a run. Read by usage.ts. */
import { HELP, type OptionRow, oneOf, textOf, usageError, type Values } from './option-values';
import { SOURCE_OPTIONS, type SourceOptions, sourceOptions } from './source-usage';

export const CODE_OPTIONS: readonly OptionRow[] = [
  ...SOURCE_OPTIONS,
  { name: 'out', value: 'FILE', text: 'write the script to FILE; without it, or with "-", to standard output' },
  {
    name: 'dataset',
    value: 'FILE',
    text: 'also write the rows, for runs whose data only Lockstep can generate or read',
  },
  {
    name: 'framework',
    value: 'pytorch|tensorflow',
    text: 'pytorch (default), or tensorflow: the tf.distribute strategy that matches the mode; needs --dataset',
  },
  HELP,
];

export const EXPORT_OPTIONS: readonly OptionRow[] = [
  ...SOURCE_OPTIONS,
  { name: 'out', value: 'DIR', text: 'write to this folder, which must not contain such files yet' },
  HELP,
];

export interface CodeOptions extends SourceOptions {
  readonly out: string | undefined;
  readonly dataset: string | undefined;
  readonly framework: 'pytorch' | 'tensorflow';
}

export interface ExportOptions extends SourceOptions {
  readonly out: string;
}

export function codeOptions(values: Values): CodeOptions {
  const out = textOf(values, 'out');
  return {
    out: out === '-' ? undefined : out,
    dataset: textOf(values, 'dataset'),
    framework: oneOf(['pytorch', 'tensorflow'], 'framework', textOf(values, 'framework')) ?? 'pytorch',
    ...sourceOptions(values, 'code'),
  };
}

export function exportOptions(values: Values): ExportOptions {
  const out = textOf(values, 'out');
  if (out === undefined) throw usageError('export needs --out DIR, the folder to write');
  return { ...sourceOptions(values, 'export'), out };
}
