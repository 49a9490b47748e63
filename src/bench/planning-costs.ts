/**
 * How the time to prepare a run's Program (compile, verify, plan memory, simulate) grows with layers, width, ranks and
 * micro-batches, mode by mode. Each series doubles one size; an exponent is the slope of a fitted line through the
 * logarithms: 1 is proportional, 2 is quadratic. No device is used. Called by scripts/costs.mjs.
 */
import { benchPlanning, type PlanningTimes } from './bench';

const PARTS = ['compileMs', 'verifyMs', 'planMs', 'simulateMs'] as const;

export interface MeasuredSize {
  readonly size: number;
  readonly instructions: number;
  /** The shortest round, which contains the least disturbance by other programs. */
  readonly times: Omit<PlanningTimes, 'instructions'>;
  readonly totalMs: number;
}

export interface MeasuredSeries {
  readonly title: string;
  readonly axis: string;
  readonly points: readonly MeasuredSize[];
  /**
   * The exponents of the time over the size and over the number of instructions; undefined if that number is constant.
   */
  readonly bySize: number;
  readonly byInstructions: number | undefined;
  /** The exponent of each part, over the number of instructions (over the size if that number is constant). */
  readonly ofParts: Readonly<Record<(typeof PARTS)[number], number>>;
}

interface Series {
  readonly axis: 'layers' | 'width' | 'ranks' | 'micro-batches';
  readonly title: string;
  readonly sizes: readonly number[];
  config(size: number): unknown;
}

/** Linear layers with Tanh between them. */
function net(layers: number, width: number): object {
  const list = Array.from({ length: layers }, (_, i) => [
    { type: 'Linear', in: i === 0 ? 2 : width, out: i === layers - 1 ? 1 : width },
    ...(i === layers - 1 ? [] : [{ type: 'Tanh' }]),
  ]);
  return { model: { layers: list.flat() }, data: { type: 'spiral', samples: 1024 }, device: 'cpu', dropLast: true };
}

/** The modes by title, each with a function that makes its configuration for a number of ranks. */
const MODES: readonly (readonly [title: string, (ranks: number) => object])[] = [
  ['Single', () => ({ mode: 'single', batchSize: 64 })],
  ['DataParallel', (ranks) => ({ mode: 'dataParallel', worldSize: ranks, batchSize: 4 * ranks })],
  ['DDP, ring', (ranks) => ({ mode: 'ddp', worldSize: ranks, batchSize: 4 * ranks })],
  ['DDP, naive', (ranks) => ({ mode: 'ddp', worldSize: ranks, batchSize: 4 * ranks, ddp: { algorithm: 'naive' } })],
  ['Sharded', (ranks) => ({ mode: 'sharded', mesh: { dpShard: ranks }, worldSize: ranks, batchSize: 4 * ranks })],
  ['Tensor', (ranks) => ({ mode: 'tensor', mesh: { tp: ranks }, worldSize: ranks, batchSize: 16 })],
  [
    'Pipeline, 1F1B',
    (ranks) => ({ mode: 'pipeline', mesh: { pp: ranks }, batchSize: 2 * ranks, ...pipeline('1F1B', ranks) }),
  ],
  ['Parameter server', (ranks) => ({ mode: 'parameterServer', worldSize: ranks, batchSize: 4 * ranks })],
];

const pipeline = (schedule: string, microBatches: number) => ({ pipeline: { schedule, microBatches } });

const RANKS = 4;
const MOST_RANKS: readonly (readonly [title: string, most: number])[] = [
  ['Pipeline, 1F1B', 16],
  ['Tensor', 16],
  ['Sharded', 32],
];
export interface CostRounds {
  readonly rounds: number;
  /** The number of rounds before, which do not count. */
  readonly warmUp?: number;
  /**
   * Every size is measured again and again for this long per round. If large sizes had fewer measurements than small
   * ones, V8 would optimise less code for them, and the exponents would be too large.
   */
  readonly leastMs?: number;
}

const doubled = (from: number, to: number): number[] => (from > to ? [] : [from, ...doubled(2 * from, to)]);

const SERIES: readonly Series[] = [
  ...MODES.map(
    ([title, mode]): Series => ({
      axis: 'layers',
      title: `${title}${title === 'Single' ? '' : `, ${RANKS} ranks`}`,
      sizes: doubled(4, 32),
      config: (layers) => ({ ...net(layers, 16), ...mode(RANKS) }),
    }),
  ),
  ...MODES.map(
    ([title, mode]): Series => ({
      axis: 'width',
      title: `${title}${title === 'Single' ? '' : `, ${RANKS} ranks`}, 8 layers`,
      sizes: doubled(16, 2048),
      config: (width) => ({ ...net(8, width), ...mode(RANKS), memoryBudgetMb: 100_000 }),
    }),
  ),
  ...MODES.filter(([title]) => title !== 'Single').map(
    ([title, mode]): Series => ({
      axis: 'ranks',
      title: `${title}, 16 layers`,
      sizes: doubled(2, MOST_RANKS.find(([limited]) => limited === title)?.[1] ?? 64),
      config: (ranks) => ({ ...net(16, 64), ...mode(ranks) }),
    }),
  ),
  ...(['GPipe', '1F1B', 'ZBVZeroBubble', 'Interleaved1F1B'] as const).map(
    (schedule): Series => ({
      axis: 'micro-batches',
      title: `Pipeline, ${schedule}, ${RANKS} ranks`,
      sizes: doubled(8, 64),
      config: (microBatches) => ({
        ...net(16, 16),
        ...{ mode: 'pipeline', mesh: { pp: RANKS }, batchSize: 2 * microBatches },
        ...pipeline(schedule, microBatches),
      }),
    }),
  ),
];

export const COST_AXES: readonly string[] = [...new Set(SERIES.map(({ axis }) => axis))];

/** The slope of the line through the logarithms, by least squares. */
export function exponent(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (k: 0 | 1): number => logs.reduce((sum, log) => sum + log[k], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  const over = logs.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return over / logs.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}

function measured(series: Series, { rounds, warmUp = 3, leastMs = 100 }: CostRounds): MeasuredSeries {
  const { sizes } = series;
  const samples = sizes.map((): PlanningTimes[] => []);
  // Sizes take turns, so that a busy second of the machine does not affect only one size.
  for (let round = 0; round < rounds + warmUp; round++) {
    for (const [k, size] of sizes.entries()) {
      const startMs = performance.now();
      do {
        const times = benchPlanning(series.config(size));
        if (round >= warmUp) samples[k]?.push(times);
      } while (performance.now() - startMs < leastMs);
    }
  }
  return fitted(series, samples);
}

/** The exponents of a series, from the `samples` of each of its sizes. */
export function fitted(
  { axis, title, sizes }: Pick<MeasuredSeries, 'axis' | 'title'> & { readonly sizes: readonly number[] },
  samples: readonly (readonly PlanningTimes[])[],
): MeasuredSeries {
  const points = sizes.map((size, k): MeasuredSize => {
    const own = samples[k] ?? [];
    const least = (part: (typeof PARTS)[number]): number => Math.min(...own.map((times) => times[part]));
    const [compileMs, verifyMs, planMs, simulateMs] = [
      least('compileMs'),
      least('verifyMs'),
      least('planMs'),
      least('simulateMs'),
    ];
    const times = { compileMs, verifyMs, planMs, simulateMs };
    return {
      size,
      instructions: own[0]?.instructions ?? 0,
      times,
      totalMs: compileMs + verifyMs + planMs + simulateMs,
    };
  });
  const grows = points[0]?.instructions !== points.at(-1)?.instructions;
  const slope = (x: (point: MeasuredSize) => number, y: (point: MeasuredSize) => number): number =>
    exponent(points.map((point) => [x(point), y(point)]));
  const by = grows ? (point: MeasuredSize) => point.instructions : (point: MeasuredSize) => point.size;
  const of = (part: (typeof PARTS)[number]): number => slope(by, ({ times }) => times[part]);
  return {
    ...{ title, axis, points },
    bySize: slope(
      ({ size }) => size,
      ({ totalMs }) => totalMs,
    ),
    byInstructions: grows ? slope(by, ({ totalMs }) => totalMs) : undefined,
    ofParts: {
      compileMs: of('compileMs'),
      verifyMs: of('verifyMs'),
      planMs: of('planMs'),
      simulateMs: of('simulateMs'),
    },
  };
}

/** Measures the requested axes. Calls `done` with each series as soon as it is measured. */
export function measureCosts(
  axes: readonly string[],
  rounds: CostRounds,
  done: (series: MeasuredSeries) => void = () => {},
): readonly MeasuredSeries[] {
  return SERIES.filter(({ axis }) => axes.includes(axis)).map((series) => {
    const result = measured(series, rounds);
    done(result);
    return result;
  });
}

const ms = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0));

/** A table of Markdown for each axis. */
export function costTables(all: readonly MeasuredSeries[]): string {
  const axes = [...new Set(all.map(({ axis }) => axis))];
  return axes
    .map((axis) => {
      const rows = all
        .filter((series) => series.axis === axis)
        .map(({ title, points, bySize, byInstructions, ofParts }) => {
          const [first, last] = [points[0], points.at(-1)];
          return [
            title,
            `${first?.size} to ${last?.size}`,
            `${first?.instructions.toLocaleString('en')} to ${last?.instructions.toLocaleString('en')}`,
            `${ms(first?.totalMs ?? 0)} to ${ms(last?.totalMs ?? 0)}`,
            bySize.toFixed(2),
            byInstructions?.toFixed(2) ?? '',
            PARTS.map((part) => ofParts[part].toFixed(2)).join(', '),
          ];
        });
      const head = [
        axis,
        'sizes',
        'instructions',
        'ms',
        `by ${axis}`,
        'by instructions',
        'compile, verify, plan, simulate',
      ];
      const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
      return [line(head), `|---|${'---:|'.repeat(head.length - 1)}`, ...rows.map(line)].join('\n');
    })
    .join('\n\n');
}
