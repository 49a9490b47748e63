/**
 * The commands and options as one table: `--help` prints it and the parser reads it, so that neither can forget an
 * option.
 */
import type { LaunchPlan } from '../protocol/process-group';
import type { PlannedFault } from '../training/failures/fault-plan';
import { COLLECTIVES_OPTIONS, type CollectivesOptions, collectivesOptions } from './collectives-usage';
import { EXIT_MEANING } from './exit-code';
import { parseFaults } from './faults';
import {
  type OptionRow,
  oneOf,
  optionLines,
  readOptions,
  textOf,
  usageError,
  type Values,
  wholeOf,
} from './option-values';
import { SCHEDULE_OPTIONS, type ScheduleOptions, scheduleOptions } from './schedule-usage';
import { SETTING_OPTIONS, type Setting, settingsOf } from './settings';
import { PRESET_NAMES } from './spoken-names';
import { launchedOptions, readLaunch } from './torchrun';

/** What run is meant: train, memory and code ask alike. */
const SOURCE_OPTIONS: readonly OptionRow[] = [
  {
    name: 'preset',
    value: PRESET_NAMES.join('|'),
    text: 'a ready-made run; settings of --config replace its own',
  },
  {
    name: 'config',
    value: 'FILE',
    text: 'configuration of the run (JSON, see `lockstep schema`); "-" reads standard input',
  },
  ...SETTING_OPTIONS,
];

/** That of npm start. */
const DEFAULT_PORT = 5173;

const HELP: OptionRow = { name: 'help', text: 'this text' };

const CODE_OPTIONS: readonly OptionRow[] = [
  ...SOURCE_OPTIONS,
  { name: 'out', value: 'FILE', text: 'where the script goes; standard output when absent or "-"' },
  { name: 'dataset', value: 'FILE', text: 'write the rows, too, of runs whose data only Lockstep makes or reads' },
  HELP,
];

const TRAIN_OPTIONS: readonly OptionRow[] = [
  ...SOURCE_OPTIONS,
  {
    name: 'device',
    value: 'webgpu|cpu',
    text: "overrides the configuration's device; with neither, a GPU if there is one",
  },
  { name: 'browser', text: 'run in headless Chromium instead of Dawn for Node' },
  { name: 'out', value: 'FILE', text: 'where the report goes (JSON); standard output when absent or "-"' },
  { name: 'trace', value: 'FILE', text: 'write the last steps as a Chrome trace, which ui.perfetto.dev opens' },
  {
    name: 'clock',
    value: 'measured|modelled',
    text: 'whose times the trace holds: this machine (default) or the hardware preset',
  },
  { name: 'save', value: 'FILE', text: "write the final weights as .safetensors with PyTorch's parameter names" },
  {
    name: 'dataset',
    value: 'FILE',
    text: 'write the rows as .safetensors, for the PyTorch script of runs whose data only Lockstep makes or reads',
  },
  {
    name: 'checkpoint',
    value: 'BASE',
    text: 'write checkpoints to BASE.safetensors and BASE.state.safetensors, the last one when the run ends or is stopped',
  },
  { name: 'checkpoint-every', value: 'N', text: 'and one after every N steps of the optimizer' },
  { name: 'resume', value: 'BASE', text: 'go on from such a checkpoint; the run is then the one without the stop' },
  {
    name: 'kill',
    value: 'RANK@STEP',
    text: 'end that rank in that step of the optimizer, as a crash would; several with commas between',
  },
  {
    name: 'hang',
    value: 'RANK@STEP',
    text: 'let that rank hang there, until the timeout of the process group (timeoutS)',
  },
  { name: 'max-restarts', value: 'N', text: 'how often all ranks start again after one has failed (maxRestarts)' },
  { name: 'flight-recorder', value: 'FILE', text: "write the last collectives of every rank in PyTorch's field names" },
  { name: 'eval', text: 'put the loss over all rows, with model.eval(), into the report' },
  { name: 'quiet', text: 'no progress lines' },
  HELP,
];

interface SourceOptions {
  readonly preset: string | undefined;
  readonly config: string | undefined;
  /** What --set and the short ways say. */
  readonly settings?: readonly Setting[];
}

export interface CodeOptions extends SourceOptions {
  readonly out: string | undefined;
  readonly dataset: string | undefined;
}

const SERVE_OPTIONS: readonly OptionRow[] = [
  { name: 'port', value: 'N', text: `port of the playground, or the next free one (${DEFAULT_PORT})` },
  HELP,
];

export interface ServeOptions {
  /** 0: any. */
  readonly port: number;
}

export interface TrainOptions extends SourceOptions {
  readonly device: 'webgpu' | 'cpu' | undefined;
  readonly browser: boolean;
  readonly out: string | undefined;
  readonly trace: string | undefined;
  readonly clock: 'measured' | 'modelled';
  readonly save: string | undefined;
  readonly dataset: string | undefined;
  /** Path of checkpoints without `.safetensors`. */
  readonly checkpoint: string | undefined;
  readonly checkpointEvery: number | undefined;
  readonly resume: string | undefined;
  readonly faults: readonly PlannedFault[];
  readonly maxRestarts: number | undefined;
  readonly flightRecorder: string | undefined;
  readonly quiet: boolean;
  /** Loss over all rows in evaluation mode, into the report. */
  readonly evaluate?: boolean;
  /** Under torchrun or srun: who runs where. */
  readonly launch?: LaunchPlan;
}

export type Command =
  | { readonly name: 'help' }
  | { readonly name: 'schema' }
  | { readonly name: 'memory'; readonly options: SourceOptions }
  | { readonly name: 'code'; readonly options: CodeOptions }
  | { readonly name: 'serve'; readonly options: ServeOptions }
  | { readonly name: 'train'; readonly options: TrainOptions }
  | { readonly name: 'collectives'; readonly options: CollectivesOptions }
  | { readonly name: 'schedule'; readonly options: ScheduleOptions };

export function helpText(): string {
  return [
    'Lockstep trains a network on several devices, as PyTorch would, and reports what happened.',
    '',
    'Usage',
    '  lockstep train --config run.json [options]   train and write a report',
    '  lockstep torchrun --nnodes 2 --nproc_per_node 4 [--max-restarts 3 ...] --config run.json [options of train]',
    '                                               train with one rank per process, as torchrun starts them (DDP)',
    '  lockstep srun -N 2 --ntasks-per-node=4 -- --config run.json    the same from a SLURM line',
    '  lockstep collectives --op all_reduce --algo ring --ranks 8 --bytes 64KiB..16MiB',
    '                                               time a collective over sizes, as nccl-tests does',
    '  lockstep schedule --name ZBVZeroBubble --ranks 4 --microbatches 8',
    '                                               print who computes what when in a pipeline, its bubble and peaks',
    '  lockstep memory --config run.json            print what each device will allocate, tensor by tensor',
    '  lockstep code --config run.json              print the PyTorch script of the run, which prints the same losses',
    '  lockstep serve [--port 5173]                 serve the playground to a browser on this machine',
    '  lockstep schema                              print the JSON Schema of the configuration',
    '  lockstep --help                              this text',
    '',
    'Options of train',
    ...optionLines(TRAIN_OPTIONS),
    '',
    'memory takes those of them that say which run: --preset to --seed. code takes these and --out, --dataset.',
    '',
    'Options of collectives (in brackets: when absent)',
    ...optionLines(COLLECTIVES_OPTIONS),
    '',
    'Options of schedule (in brackets: when absent)',
    ...optionLines(SCHEDULE_OPTIONS),
    '',
    'Files named in the configuration (csv, npy, safetensors) are found relative to the configuration file.',
    'Progress and notices go to standard error, one line per step (per micro-batch with accumulate); the report holds all.',
    '',
    'Exit status',
    ...EXIT_MEANING.map(([code, text]) => `  ${code}  ${text}`),
    '',
    'Example',
    `  echo '{"mode": "ddp", "worldSize": 4, "steps": 20}' | lockstep train --config - --device cpu --out report.json`,
    '',
  ].join('\n');
}

/**
 * The command that the arguments ask for; CUDA_VISIBLE_DEVICES counts for launchers. Throws a LockstepError of code
 * 'config' where they are wrong.
 */
export function parseCommand(args: readonly string[], visibleDevices = process.env['CUDA_VISIBLE_DEVICES']): Command {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') return { name: 'help' };
  if (name === 'schema') {
    if (rest.length > 0) throw usageError(`schema takes no arguments, not "${rest.join(' ')}"`);
    return { name: 'schema' };
  }
  if (name === 'collectives') {
    const values = readOptions(rest, COLLECTIVES_OPTIONS);
    return values['help'] === true ? { name: 'help' } : { name, options: collectivesOptions(values) };
  }
  if (name === 'schedule') {
    const values = readOptions(rest, SCHEDULE_OPTIONS);
    return values['help'] === true ? { name: 'help' } : { name, options: scheduleOptions(values) };
  }
  if (name === 'torchrun' || name === 'srun') {
    if (rest.includes('--help')) return { name: 'help' };
    const launch = readLaunch(name, rest, visibleDevices);
    const values = readOptions(launchedOptions(launch), TRAIN_OPTIONS);
    return { name: 'train', options: { ...trainOptions(values, name), launch } };
  }
  if (name === 'serve') {
    const values = readOptions(rest, SERVE_OPTIONS);
    if (values['help'] === true) return { name: 'help' };
    return { name, options: { port: wholeOf(values, 'port', 0, 65_535) ?? DEFAULT_PORT } };
  }
  if (name === 'code') {
    const values = readOptions(rest, CODE_OPTIONS);
    if (values['help'] === true) return { name: 'help' };
    const out = textOf(values, 'out');
    const options = { out: out === '-' ? undefined : out, dataset: textOf(values, 'dataset') };
    return { name, options: { ...sourceOptions(values, name), ...options } };
  }
  if (name === 'memory') {
    const values = readOptions(rest, [...SOURCE_OPTIONS, HELP]);
    return values['help'] === true ? { name: 'help' } : { name, options: sourceOptions(values, name) };
  }
  if (name !== 'train') throw usageError(`unknown command "${name}"`);
  const values = readOptions(rest, TRAIN_OPTIONS);
  return values['help'] === true ? { name: 'help' } : { name, options: trainOptions(values, name) };
}

function sourceOptions(values: Values, command: string): SourceOptions {
  const [config, preset, settings] = [textOf(values, 'config'), textOf(values, 'preset'), settingsOf(values)];
  if (config === undefined && preset === undefined && settings.length === 0)
    throw usageError(`${command} needs --config FILE, --preset NAME, or settings: --mode ddp --steps 20`);
  return { config, preset, settings };
}

function trainOptions(values: Values, command: string): TrainOptions {
  const text = (name: string): string | undefined => textOf(values, name);
  const source = sourceOptions(values, command);
  const browser = values['browser'] === true;
  if (browser && ['trace', 'save', 'dataset', 'checkpoint'].some((name) => text(name) !== undefined)) {
    throw usageError('--trace, --save, --dataset and --checkpoint are not available with --browser');
  }
  if (browser && ['kill', 'hang', 'flight-recorder'].some((name) => text(name) !== undefined)) {
    throw usageError('--kill, --hang and --flight-recorder are not available with --browser');
  }
  if (browser && values['eval'] === true) throw usageError('--eval is not available with --browser');
  const faults = (what: PlannedFault['what']): readonly PlannedFault[] => {
    const given = text(what);
    const found = given === undefined ? [] : parseFaults(what, given);
    if (!found) throw usageError(`--${what} must be RANK@STEP, as in 2@10, not "${given}"`);
    return found;
  };
  const maxRestarts = text('max-restarts');
  if (maxRestarts !== undefined && !/^\d{1,3}$/.test(maxRestarts)) {
    throw usageError(`--max-restarts must be a number from 0 to 100, not "${maxRestarts}"`);
  }
  const every = text('checkpoint-every');
  if (every !== undefined && !/^[1-9]\d{0,8}$/.test(every)) {
    throw usageError(`--checkpoint-every must be a number of steps from 1 on, not "${every}"`);
  }
  if (every !== undefined && text('checkpoint') === undefined) {
    throw usageError('--checkpoint-every needs --checkpoint BASE, which says where');
  }
  return {
    ...source,
    device: oneOf(['webgpu', 'cpu'], 'device', text('device')),
    browser,
    out: text('out') === '-' ? undefined : text('out'),
    trace: text('trace'),
    clock: oneOf(['measured', 'modelled'], 'clock', text('clock')) ?? 'measured',
    save: text('save'),
    dataset: text('dataset'),
    checkpoint: text('checkpoint'),
    checkpointEvery: every === undefined ? undefined : Number(every),
    resume: text('resume'),
    faults: [...faults('kill'), ...faults('hang')],
    maxRestarts: maxRestarts === undefined ? undefined : Number(maxRestarts),
    flightRecorder: text('flight-recorder'),
    quiet: values['quiet'] === true,
    ...(values['eval'] === true ? { evaluate: true } : {}),
  };
}
