/**
 * The commands as one table. Each command has a table of options (the files `*-usage.ts`), which the parser reads and
 * `--help` prints (help-text.ts), so both always have the same options.
 */
import { BENCH_OPTIONS, type BenchOptions, benchOptions } from './bench-usage';
import {
  CODE_OPTIONS,
  type CodeOptions,
  codeOptions,
  EXPORT_OPTIONS,
  type ExportOptions,
  exportOptions,
} from './code-usage';
import { COLLECTIVES_OPTIONS, type CollectivesOptions, collectivesOptions } from './collectives-usage';
import { COMPARE_OPTIONS, type CompareOptions, compareOptions } from './compare-usage';
import { IMPORT_OPTIONS, type ImportOptions, importOptions } from './import-usage';
import { HELP, type OptionRow, readOptions, readOptionsAndFiles, usageError, type Values } from './option-values';
import { SCHEDULE_OPTIONS, type ScheduleOptions, scheduleOptions } from './schedule-usage';
import { SERVE_OPTIONS, type ServeOptions, serveOptions } from './serve-usage';
import { SOURCE_OPTIONS, type SourceOptions, sourceOptions } from './source-usage';
import { torchrunNames } from './torch/options';
import { launchedOptions, readLaunch } from './torchrun';
import { TRAIN_OPTIONS, type TrainOptions, trainOptions } from './train-usage';

export type SchemaName = 'configuration' | 'report' | 'bench';

export type CliCommand =
  /** `of`: a command; undefined: all commands. */
  | { readonly name: 'help'; readonly of?: string }
  | { readonly name: 'schema'; readonly of: SchemaName }
  | { readonly name: 'bench'; readonly options: BenchOptions }
  | { readonly name: 'memory'; readonly options: SourceOptions }
  | { readonly name: 'code'; readonly options: CodeOptions }
  | { readonly name: 'export'; readonly options: ExportOptions }
  | { readonly name: 'serve'; readonly options: ServeOptions }
  | { readonly name: 'train'; readonly options: TrainOptions }
  | { readonly name: 'collectives'; readonly options: CollectivesOptions }
  | { readonly name: 'schedule'; readonly options: ScheduleOptions }
  | { readonly name: 'compare'; readonly options: CompareOptions }
  | { readonly name: 'import'; readonly options: ImportOptions };

/** Parses the words after the command's name. */
type Reader = (args: readonly string[], visibleDevices: string | undefined) => CliCommand;

const ASKS_HELP: CliCommand = { name: 'help' };
const isHelp = (word: string): boolean => word === '--help' || word === '-h';

const options =
  (rows: readonly OptionRow[], command: (values: Values) => CliCommand): Reader =>
  (args) => {
    const values = readOptions(args, rows);
    return values['help'] === true ? ASKS_HELP : command(values);
  };

const optionsAndFiles =
  (rows: readonly OptionRow[], command: (values: Values, files: readonly string[]) => CliCommand): Reader =>
  (args) => {
    const { values, files } = readOptionsAndFiles(args, rows);
    return values['help'] === true ? ASKS_HELP : command(values, files);
  };

const launcher =
  (name: 'torchrun' | 'srun'): Reader =>
  (args, visibleDevices) => {
    if (args.some(isHelp)) return ASKS_HELP;
    const launch = readLaunch(name, args, visibleDevices);
    const values = readOptions(torchrunNames(launchedOptions(launch)), TRAIN_OPTIONS);
    return { name: 'train', options: { ...trainOptions(values, name), launch } };
  };

const train = options(TRAIN_OPTIONS, (values) => ({ name: 'train', options: trainOptions(values, 'train') }));

const SCHEMAS: ReadonlyMap<string, SchemaName> = new Map([
  ['--report', 'report'],
  ['--bench', 'bench'],
]);

const schema: Reader = (args) => {
  if (args.some(isHelp)) return ASKS_HELP;
  const [first, ...others] = args;
  const of = first === undefined ? 'configuration' : SCHEMAS.get(first);
  if (of === undefined || others.length > 0)
    throw usageError(`schema takes only the option --report or --bench, not "${args.join(' ')}"`);
  return { name: 'schema', of };
};

const COMMANDS: ReadonlyMap<string, Reader> = new Map([
  ['help', ([of]) => (of === undefined ? ASKS_HELP : helpOf(of))],
  ['--help', () => ASKS_HELP],
  ['-h', () => ASKS_HELP],
  ['train', (args, visibleDevices) => train(torchrunNames(args), visibleDevices)],
  ['torchrun', launcher('torchrun')],
  ['srun', launcher('srun')],
  [
    'collectives',
    options(COLLECTIVES_OPTIONS, (values) => ({ name: 'collectives', options: collectivesOptions(values) })),
  ],
  ['bench', options(BENCH_OPTIONS, (values) => ({ name: 'bench', options: benchOptions(values) }))],
  ['schedule', options(SCHEDULE_OPTIONS, (values) => ({ name: 'schedule', options: scheduleOptions(values) }))],
  [
    'memory',
    options([...SOURCE_OPTIONS, HELP], (values) => ({ name: 'memory', options: sourceOptions(values, 'memory') })),
  ],
  ['code', options(CODE_OPTIONS, (values) => ({ name: 'code', options: codeOptions(values) }))],
  ['export', options(EXPORT_OPTIONS, (values) => ({ name: 'export', options: exportOptions(values) }))],
  ['serve', options(SERVE_OPTIONS, (values) => ({ name: 'serve', options: serveOptions(values) }))],
  [
    'compare',
    optionsAndFiles(COMPARE_OPTIONS, (values, files) => ({ name: 'compare', options: compareOptions(values, files) })),
  ],
  [
    'import',
    optionsAndFiles(IMPORT_OPTIONS, (values, files) => ({ name: 'import', options: importOptions(values, files) })),
  ],
  ['schema', schema],
] satisfies readonly (readonly [string, Reader])[]);

/**
 * The command for the arguments; launchers also use CUDA_VISIBLE_DEVICES. Throws a LockstepError of code 'config' if
 * the arguments are wrong.
 */
export function parseCommand(
  args: readonly string[],
  visibleDevices = process.env['CUDA_VISIBLE_DEVICES'],
): CliCommand {
  const [name, ...rest] = args;
  if (name === undefined) return ASKS_HELP;
  const command = readerOf(name)(rest, visibleDevices);
  return command === ASKS_HELP && !isHelp(name) && name !== 'help' ? helpOf(name) : command;
}

function readerOf(name: string): Reader {
  const read = COMMANDS.get(name);
  if (!read) throw usageError(`unknown command "${name}"`);
  return read;
}

function helpOf(name: string): CliCommand {
  readerOf(name);
  return name === 'help' || isHelp(name) ? ASKS_HELP : { name: 'help', of: name };
}
