/**
 * Options of `lockstep train --engine torch`, and the other options that mean nothing there. Rows for the table in
 * train-usage.ts, which calls this module.
 */
import { lookup } from '../../base/lookup';
import { type OptionRow, oneOf, textOf, usageError, type Values } from '../option-values';

/** torchrun's names; accepted with dashes, too. */
const LAUNCH_OPTIONS: readonly OptionRow[] = [
  { name: 'nnodes', value: 'N', text: 'number of machines; run the same command on each of them' },
  { name: 'nproc_per_node', value: 'N', text: 'processes on each machine, one per rank' },
  {
    name: 'rdzv_endpoint',
    value: 'HOST:PORT',
    text: 'address of one of the machines and a free port there, where all machines connect',
  },
  { name: 'rdzv_id', value: 'ID', text: 'name of the job; use the same on every machine' },
  {
    name: 'node_rank',
    value: 'N',
    text: 'number of this machine, from 0; without it, machines are numbered as they connect',
  },
];

export const TORCH_OPTIONS: readonly OptionRow[] = [
  {
    name: 'engine',
    value: 'lockstep|torch',
    text: 'torch: train in the PyTorch of this machine, one process per rank (of python3, or of the Python that LOCKSTEP_PYTHON names)',
  },
  {
    name: 'backend',
    value: 'gloo|nccl',
    text: 'torch: backend of the process group; without it, gloo on the CPU and nccl on GPUs',
  },
  ...LAUNCH_OPTIONS.map((row) => ({ ...row, text: `torch: ${row.text}` })),
];

export interface TorchOptions {
  readonly device: 'cpu' | 'cuda' | 'auto';
  readonly backend: 'gloo' | 'nccl' | undefined;
  /** torchrun's options, as words of a command line. */
  readonly launcher: readonly string[];
}

/** Converts '--nproc-per-node' to torchrun's '--nproc_per_node'. */
export function torchrunNames(args: readonly string[]): readonly string[] {
  return args.map((word) => {
    const [, name = '', rest = ''] = /^--([a-z-]+)((?:=.*)?)$/s.exec(word) ?? [];
    const known = name.replaceAll('-', '_');
    return LAUNCH_OPTIONS.some((row) => row.name === known) ? `--${known}${rest}` : word;
  });
}

/** Options that mean nothing to PyTorch, with the alternative. */
const NOT_IN_TORCH: readonly (readonly [name: string, instead: string])[] = [
  ['browser', 'PyTorch runs in Python'],
  ['clock', 'its traces have the times of torch.profiler'],
  ['dataset', '`lockstep code --dataset` writes the rows'],
  ['eval', 'train.py measures no loss over all rows'],
  ['flight-recorder', "PyTorch's own is switched on by TORCH_FR_BUFFER_SIZE (TORCH_NCCL_TRACE_BUFFER_SIZE) under NCCL"],
];

/** Undefined if Lockstep itself trains. */
export function torchOptions(values: Values): TorchOptions | undefined {
  const engine = oneOf(['lockstep', 'torch'], 'engine', textOf(values, 'engine'));
  if (engine !== 'torch') {
    const given = ['backend', ...LAUNCH_OPTIONS.map(({ name }) => name)].find(
      (name) => lookup(values, name) !== undefined,
    );
    if (given !== undefined)
      throw usageError(`--${given} is for --engine torch; lockstep torchrun launches ranks of Lockstep's own`);
    return undefined;
  }
  for (const [name, instead] of NOT_IN_TORCH)
    if (lookup(values, name) !== undefined)
      throw usageError(`--${name} is not available with --engine torch: ${instead}`);
  const device = textOf(values, 'device');
  if (device === 'webgpu')
    throw usageError('--device must be cpu, cuda or auto with --engine torch: PyTorch has no WebGPU');
  return {
    device: oneOf(['cpu', 'cuda', 'auto'], 'device', device) ?? 'auto',
    backend: oneOf(['gloo', 'nccl'], 'backend', textOf(values, 'backend')),
    launcher: LAUNCH_OPTIONS.flatMap(({ name }) => {
      const value = textOf(values, name);
      return value === undefined ? [] : [`--${name}`, value];
    }),
  };
}
