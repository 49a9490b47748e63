/**
 * The options of `lockstep train`, and of the launchers that start it as one process per rank. Read by usage.ts; those
 * of --engine torch are in torch/options.ts.
 */
import type { LaunchPlan } from '../protocol/process-group';
import type { PlannedFault } from '../training/failures/fault-plan';
import { parseFaults } from './faults';
import { HELP, type OptionRow, oneOf, textOf, usageError, type Values, wholeOf } from './option-values';
import { SOURCE_OPTIONS, type SourceOptions, sourceOptions } from './source-usage';
import { TORCH_OPTIONS, type TorchOptions, torchOptions } from './torch/options';

export const TRAIN_OPTIONS: readonly OptionRow[] = [
  ...SOURCE_OPTIONS,
  {
    name: 'device',
    value: 'webgpu|cpu|cuda',
    text: "replaces the configuration's device; without both, a GPU if there is one (cuda only with --engine torch)",
  },
  { name: 'browser', text: 'train in headless Chromium instead of Dawn for Node' },
  { name: 'out', value: 'FILE', text: 'write the JSON report to FILE; without it, or with "-", to standard output' },
  { name: 'trace', value: 'FILE', text: 'write the last steps as a Chrome trace, which ui.perfetto.dev opens' },
  {
    name: 'clock',
    value: 'measured|modelled',
    text: 'times in the trace: measured on this machine (default) or modelled for the hardware preset',
  },
  { name: 'save', value: 'FILE', text: "write the final weights as .safetensors with PyTorch's parameter names" },
  {
    name: 'dataset',
    value: 'FILE',
    text: 'write the rows as .safetensors, for a PyTorch script whose data only Lockstep can generate or read',
  },
  {
    name: 'checkpoint',
    value: 'BASE',
    text: 'write a checkpoint to BASE.safetensors and BASE.state.safetensors when the run ends or is stopped',
  },
  {
    name: 'checkpoint-every',
    value: 'N',
    text: 'with --checkpoint: also write one after every N steps of the optimizer',
  },
  {
    name: 'checkpoint-shards',
    text: 'with --checkpoint: write the folder BASE instead, with one file for each rank and an index',
  },
  {
    name: 'resume',
    value: 'BASE',
    text: 'continue from a checkpoint; the result is the same as without the interruption',
  },
  {
    name: 'kill',
    value: 'RANK@STEP',
    text: 'end this rank in this step of the optimizer, like a crash; separate several with commas',
  },
  {
    name: 'hang',
    value: 'RANK@STEP',
    text: 'let this rank hang in this step of the optimizer, until the process group times out (timeoutS)',
  },
  {
    name: 'max-restarts',
    value: 'N',
    text: 'largest number of restarts of all ranks after a rank has failed (maxRestarts)',
  },
  {
    name: 'flight-recorder',
    value: 'FILE',
    text: "write the last collectives of every rank, with PyTorch's field names",
  },
  { name: 'eval', text: 'add the loss over all rows, after model.eval(), to the report' },
  {
    name: 'history',
    value: 'N',
    text: 'add samples of all parameters and gradients after each of the first N steps to the report, for compare',
  },
  { name: 'weights', text: 'add the final weights to the report, for compare' },
  { name: 'quiet', text: 'print no progress lines' },
  ...TORCH_OPTIONS,
  HELP,
];

export interface TrainOptions extends SourceOptions {
  readonly device: 'webgpu' | 'cpu' | undefined;
  readonly browser: boolean;
  readonly out: string | undefined;
  readonly trace: string | undefined;
  readonly clock: 'measured' | 'modelled';
  readonly save: string | undefined;
  readonly dataset: string | undefined;
  /** The path of checkpoints, without `.safetensors`. */
  readonly checkpoint: string | undefined;
  readonly checkpointEvery: number | undefined;
  /** Whether checkpoints have one file per rank, and an index. */
  readonly checkpointShards?: boolean;
  readonly resume: string | undefined;
  readonly faults: readonly PlannedFault[];
  readonly maxRestarts: number | undefined;
  readonly flightRecorder: string | undefined;
  readonly quiet: boolean;
  /** Whether the report gets the loss over all rows in evaluation mode. */
  readonly evaluate?: boolean;
  /** The number of steps whose parameters and gradients the report contains. */
  readonly history?: number;
  /** Whether the report contains the final weights. */
  readonly weights?: boolean;
  /** For torchrun or srun: which ranks run where. */
  readonly launch?: LaunchPlan;
  /** The options for running in the PyTorch of this machine. */
  readonly torch?: TorchOptions;
}

/** The most steps of history; each adds one line per tensor to the report. */
const MOST_HISTORY = 100_000;

export function trainOptions(values: Values, command: string): TrainOptions {
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
  const history = wholeOf(values, 'history', 1, MOST_HISTORY);
  if (every !== undefined && text('checkpoint') === undefined) {
    throw usageError('--checkpoint-every needs --checkpoint BASE, the path to write to');
  }
  const shards = values['checkpoint-shards'] === true;
  if (shards && text('checkpoint') === undefined)
    throw usageError('--checkpoint-shards needs --checkpoint BASE, the folder to write');
  const torch = torchOptions(values);
  if (shards && torch !== undefined) throw usageError('--checkpoint-shards is not available with --engine torch');
  return {
    ...source,
    ...(torch === undefined
      ? { device: oneOf(['webgpu', 'cpu'], 'device', text('device')) }
      : { device: undefined, torch }),
    browser,
    out: text('out') === '-' ? undefined : text('out'),
    trace: text('trace'),
    clock: oneOf(['measured', 'modelled'], 'clock', text('clock')) ?? 'measured',
    save: text('save'),
    dataset: text('dataset'),
    checkpoint: text('checkpoint'),
    checkpointEvery: every === undefined ? undefined : Number(every),
    ...(shards ? { checkpointShards: true } : {}),
    resume: text('resume'),
    faults: [...faults('kill'), ...faults('hang')],
    maxRestarts: maxRestarts === undefined ? undefined : Number(maxRestarts),
    flightRecorder: text('flight-recorder'),
    quiet: values['quiet'] === true,
    ...(values['eval'] === true ? { evaluate: true } : {}),
    ...(history === undefined ? {} : { history }),
    ...(values['weights'] === true ? { weights: true } : {}),
  };
}
