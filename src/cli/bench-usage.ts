/** The options of `lockstep bench`. Read by usage.ts. */
import { brief } from '../base/brief';
import type { BenchRequest } from '../bench/run-bench';
import { HELP, type OptionRow, oneOf, textOf, usageError, type Values, wholeOf } from './option-values';

export const BENCH_OPTIONS: readonly OptionRow[] = [
  {
    name: 'only',
    value: 'IDS',
    text: 'only the workloads whose ids begin with one of these words, for example gpt,mlp-single',
  },
  { name: 'device', value: 'webgpu|cpu', text: 'the device that trains; without this option, a GPU if there is one' },
  { name: 'page', text: 'train in the page, in headless Chromium, while it draws the run at full speed' },
  { name: 'threads', value: 'N', text: 'number of threads of the CPU device (1)' },
  { name: 'fused-multiply-add', text: 'let the CPU device round x y + z once, if the machine has relaxed SIMD' },
  { name: 'rounds', value: 'N', text: 'number of timed rounds; the result is their median (5)' },
  { name: 'milliseconds', value: 'N', text: 'length of a round in milliseconds (500)' },
  { name: 'json', text: 'print the report as JSON instead of the table' },
  { name: 'out', value: 'FILE', text: 'write the report as JSON' },
  {
    name: 'against',
    value: 'FILE',
    text: 'print each median beside the median of an earlier report of the same device',
  },
  {
    name: 'gate',
    value: 'RATIO',
    text: 'with --against: exit with status 6 if a median is below RATIO times the earlier median (0.9)',
  },
  HELP,
];

export interface BenchOptions {
  readonly request: BenchRequest;
  readonly page: boolean;
  readonly json: boolean;
  readonly out: string | undefined;
  readonly against: string | undefined;
  readonly gate: number;
}

const GATE = 0.9;

export function benchOptions(values: Values): BenchOptions {
  const against = textOf(values, 'against');
  const gate = textOf(values, 'gate');
  if (gate !== undefined && against === undefined) throw usageError('--gate needs --against FILE');
  const only = textOf(values, 'only')
    ?.split(',')
    .filter((id) => id !== '');
  if (only?.length === 0)
    throw usageError('--only needs the beginning of a workload id, as in --only gpt; leave it out for all workloads');
  const page = values['page'] === true;
  const device = oneOf(['webgpu', 'cpu'], 'device', textOf(values, 'device')) ?? 'auto';
  if (textOf(values, 'threads') !== undefined) {
    if (page)
      throw usageError('--threads has no effect with --page: the page that it opens is not cross-origin isolated');
    if (device === 'webgpu') throw usageError('--threads is a setting of the CPU device: use --device cpu');
  }
  if (gate !== undefined && !(Number(gate) > 0 && Number(gate) <= 10 && gate.trim() !== ''))
    throw usageError(`--gate must be a ratio over 0, as in 0.9, not "${brief(gate)}"`);
  return {
    request: {
      only: only ?? [],
      device,
      threads: wholeOf(values, 'threads', 1, 16) ?? 1,
      fusedMultiplyAdd: values['fused-multiply-add'] === true,
      rounds: wholeOf(values, 'rounds', 1, 1000) ?? 5,
      milliseconds: wholeOf(values, 'milliseconds', 1, 600_000) ?? 500,
    },
    page,
    json: values['json'] === true,
    out: textOf(values, 'out'),
    against,
    gate: gate === undefined ? GATE : Number(gate),
  };
}
