/**
 * The options of `lockstep collectives`: nccl-tests' options in their long form, and the algorithm, transport and
 * modelled machine. Read by usage.ts.
 */
import { lookup } from '../base/lookup';
import {
  ALGORITHM_NAMES,
  type AlgorithmName,
  COLLECTIVE_OPS,
  type CollectiveOp,
  REDUCE_OPS,
} from '../protocol/collective';
import type { CollectivesRequest } from '../protocol/collectives-report';
import { HARDWARE, LIMITS } from '../protocol/config';
import { HELP, type OptionRow, oneOf, textOf, usageError, type Values, wholeOf } from './option-values';

/** torch.distributed's spelling: all_reduce for allReduce. */
export const snake = (name: string): string => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

/** sendRecv is left out, because it has no algorithms: two ranks, one message. */
const OPS = COLLECTIVE_OPS.filter((op) => op !== 'sendRecv');
const byName = <T extends string>(names: readonly T[]): ReadonlyMap<string, T> =>
  new Map(names.map((name) => [snake(name), name]));
const OP_NAMES = byName<CollectiveOp>(OPS);
const ALGORITHMS = byName<AlgorithmName>(ALGORITHM_NAMES);

export const COLLECTIVES_OPTIONS: readonly OptionRow[] = [
  { name: 'op', value: 'NAME', text: `${[...OP_NAMES.keys()].join('|')} (all_reduce)` },
  {
    name: 'algo',
    value: 'NAME',
    text: `${[...ALGORITHMS.keys()].join('|')} (ring); naive runs where the algorithm lacks the collective`,
  },
  { name: 'ranks', value: 'N', text: `ranks, 1 to ${LIMITS.collective} (4)` },
  { name: 'nodes', value: 'N', text: 'number of nodes; the ranks are divided among them (1)' },
  { name: 'bytes', value: 'FROM..TO', text: 'a range of sizes, or one size (64KiB..16MiB)' },
  { name: 'step-factor', value: 'F', text: 'each size is F times the size before it (2)' },
  { name: 'redop', value: 'NAME', text: `${REDUCE_OPS.join('|')} (sum)` },
  { name: 'root', value: 'RANK', text: 'root rank of broadcast, reduce, scatter and gather (0)' },
  { name: 'iters', value: 'N', text: 'timed runs (20)' },
  { name: 'warmup', value: 'N', text: 'untimed runs before the timed ones (5)' },
  { name: 'device', value: 'webgpu|cpu', text: 'the device that computes; without it, a GPU if there is one' },
  {
    name: 'transport',
    value: 'shared|ports',
    text: 'shared: all ranks on one GPUDevice; ports: one device per rank, connected by MessagePorts (shared)',
  },
  { name: 'hardware', value: HARDWARE.join('|'), text: 'hardware for the modelled columns (nvlink8)' },
  { name: 'json', text: 'print the report as JSON instead of the table' },
  { name: 'out', value: 'FILE', text: 'write the report as JSON' },
  HELP,
];

export interface CollectivesOptions {
  readonly request: CollectivesRequest;
  readonly json: boolean;
  readonly out: string | undefined;
}

export function collectivesOptions(values: Values): CollectivesOptions {
  const named = <T>(table: ReadonlyMap<string, T>, option: string, fallback: T): T => {
    const text = textOf(values, option);
    if (text === undefined) return fallback;
    const found = table.get(text.replaceAll('-', '_'));
    if (found === undefined) throw usageError(`--${option} must be ${[...table.keys()].join(' or ')}, not "${text}"`);
    return found;
  };
  const factor = textOf(values, 'step-factor') ?? '2';
  if (!/^\d+(\.\d+)?$/.test(factor) || Number(factor) <= 1)
    throw usageError(`--step-factor must be a number above 1, not "${factor}"`);
  const { from, to } = sizeRange(textOf(values, 'bytes') ?? '64KiB..16MiB');
  return {
    request: {
      op: named(OP_NAMES, 'op', 'allReduce'),
      algorithm: named(ALGORITHMS, 'algo', 'ring'),
      reduceOp: oneOf(REDUCE_OPS, 'redop', textOf(values, 'redop')) ?? 'sum',
      ranks: wholeOf(values, 'ranks', 1, LIMITS.collective) ?? 4,
      nodes: wholeOf(values, 'nodes', 1, LIMITS.collective) ?? 1,
      root: wholeOf(values, 'root', 0, LIMITS.collective - 1) ?? 0,
      fromBytes: from,
      toBytes: to,
      stepFactor: Number(factor),
      iterations: wholeOf(values, 'iters', 1, 1_000_000) ?? 20,
      warmup: wholeOf(values, 'warmup', 0, 1_000_000) ?? 5,
      device: oneOf(['webgpu', 'cpu'], 'device', textOf(values, 'device')) ?? 'auto',
      transport: oneOf(['shared', 'ports'], 'transport', textOf(values, 'transport')) ?? 'shared',
      hardware: oneOf(HARDWARE, 'hardware', textOf(values, 'hardware')) ?? 'nvlink8',
    },
    json: values['json'] === true,
    out: textOf(values, 'out') === '-' ? undefined : textOf(values, 'out'),
  };
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** '64KiB..16MiB', nccl-tests' form '64K..16M', or '1024'. Units are powers of 1024. */
function sizeRange(text: string): { readonly from: number; readonly to: number } {
  const [first = '', last = first, more] = text.split('..');
  const [from, to] = [sizeOf(first), sizeOf(last)];
  if (more !== undefined || from === undefined || to === undefined || from > to)
    throw usageError(`--bytes must be a size or a range of them, 64KiB..16MiB for example, not "${text}"`);
  return { from, to };
}

function sizeOf(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,12})\s*(?:([kmg])(?:i?b)?|b)?$/i.exec(text.trim()) ?? [];
  return number === undefined ? undefined : Number(number) * (lookup(UNITS, unit.toLowerCase()) ?? 1);
}
