/**
 * The measurements of `lockstep bench`: training steps per second of the presets, alone and on four ranks. A workload
 * is opened, warmed up, timed round by round, and closed before the next one opens.
 */
import { LockstepError } from '../base/errors';
import type { BenchReport, BenchWorkload } from '../protocol/bench-report';
import type { ConfigInput } from '../protocol/config';
import { PRESETS, type PresetName } from '../protocol/presets';
import { benchSession } from './bench';
import { rateOf, runsInOneLook } from './rate';
import { stopIfAsked } from './stop-if-asked';

export interface Workload {
  readonly id: string;
  readonly title: string;
  readonly preset: PresetName;
  readonly setting: Pick<ConfigInput, 'mode' | 'worldSize'>;
}

const SINGLE = { mode: 'single', worldSize: 1 } as const;

const onFour = (preset: PresetName, mode: 'ddp' | 'sharded' | 'tensor' | 'pipeline'): Workload => ({
  id: `${preset}-${mode}-4`,
  title: `${preset}, ${mode}, 4 ranks`,
  preset,
  setting: { mode, worldSize: 4 },
});

export const BENCH_WORKLOADS: readonly Workload[] = [
  ...(Object.keys(PRESETS) as PresetName[]).map((preset) => ({
    id: `${preset}-single`,
    title: `${preset}, one device`,
    preset,
    setting: SINGLE,
  })),
  onFour('mlp', 'ddp'),
  onFour('cnn', 'ddp'),
  onFour('gpt', 'ddp'),
  onFour('gpt', 'sharded'),
  onFour('gpt', 'tensor'),
  onFour('deepMlp', 'pipeline'),
];

export interface BenchRequest {
  /** Beginnings of ids; empty: all workloads. */
  readonly only: readonly string[];
  readonly device: 'webgpu' | 'cpu' | 'auto';
  readonly threads: number;
  readonly fusedMultiplyAdd: boolean;
  readonly rounds: number;
  readonly milliseconds: number;
}

/** The requested workloads. */
export function askedWorkloads(only: readonly string[]): readonly Workload[] {
  const asked = BENCH_WORKLOADS.filter(({ id }) => only.length === 0 || only.some((begin) => id.startsWith(begin)));
  if (asked.length > 0) return asked;
  throw new LockstepError(
    'config',
    `No workload begins with ${only.map((begin) => `"${begin}"`).join(' or ')}.`,
    `The workloads are ${BENCH_WORKLOADS.map(({ id }) => id).join(', ')}.`,
  );
}

/** The result of a workload's rounds. */
export function timedWorkload({ id, title }: Workload, rounds: readonly number[]): BenchWorkload {
  const sorted = rounds.toSorted((a, b) => a - b);
  const [slowest = 0, fastest = 0] = [sorted[0], sorted.at(-1)];
  const [below = 0, above = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  const median = (below + above) / 2;
  return { id, title, unit: 'steps/s', median, slowest, fastest, rounds: [...rounds] };
}

export interface BenchMeans {
  readonly gpu: GPU | undefined;
  readonly signal: AbortSignal;
  onWorkload(workload: BenchWorkload): void;
}

export type BenchFigures = Pick<
  BenchReport,
  'device' | 'threads' | 'fusedMultiplyAdd' | 'rounds' | 'milliseconds' | 'workloads'
>;

export async function runBench(request: BenchRequest, { gpu, signal, onWorkload }: BenchMeans): Promise<BenchFigures> {
  const { only, threads, fusedMultiplyAdd, rounds, milliseconds } = request;
  const workloads: BenchWorkload[] = [];
  let device: BenchReport['device'] | undefined;
  for (const workload of askedWorkloads(only)) {
    const { id, preset, setting } = workload;
    const config = { ...PRESETS[preset].config, ...setting, device: request.device, threads, fusedMultiplyAdd };
    const session = await benchSession(config, {}, gpu);
    device ??= { kind: session.kind, adapter: session.adapter };
    const step = async (count: number): Promise<void> => {
      await session.step(count);
      await stopIfAsked(signal, `The benchmark was stopped in ${id}; it gives no report.`);
    };
    try {
      const rates: number[] = [];
      const chunk = await runsInOneLook(step);
      while (rates.length < rounds) rates.push(await rateOf(step, chunk, milliseconds));
      workloads.push(timedWorkload(workload, rates));
    } finally {
      await session.dispose();
    }
    onWorkload(workloads[workloads.length - 1] as BenchWorkload);
  }
  return {
    device: device ?? { kind: 'cpu', adapter: '' },
    ...{ threads, fusedMultiplyAdd, rounds, milliseconds, workloads },
  };
}
