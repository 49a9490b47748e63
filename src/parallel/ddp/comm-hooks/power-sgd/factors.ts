/**
 * Which tensors of a bucket PowerSGD compresses, and the places of their factors: P [n, r] and Q [m, r] of each matrix
 * M [n, m] are consecutive, and matrices of one shape are neighbours. Also draws the random initial Q as torch does.
 * Source: powerSGD_hook.py.
 */
import { at } from '../../../../base/invariant';
import type { Config } from '../../../../protocol/config';
import { Generator } from '../../../../tensor/generator';
import { Mt19937 } from '../../../../tensor/mt19937';
import { elements, type Shape } from '../../../../tensor/shape';

export interface PowerSGDSettings {
  readonly rank: number;
  readonly start: number;
  readonly minRate: number;
  readonly feedback: boolean;
  readonly warm: boolean;
}

export function powerSGDSettings({ ddp }: Config): PowerSGDSettings {
  const { commHook: hook } = ddp;
  if (hook.type !== 'powerSGD') return { rank: 1, start: 0, minRate: 2, feedback: true, warm: true };
  return {
    rank: hook.matrixApproximationRank,
    start: hook.startPowerSGDIter,
    minRate: hook.minCompressionRate,
    feedback: hook.useErrorFeedback,
    warm: hook.warmStart,
  };
}

/** A stretch of the bucket. */
export interface FactorPiece {
  readonly at: number;
  readonly length: number;
}

export interface FactorMatrix extends FactorPiece {
  readonly rows: number;
  readonly columns: number;
  readonly rank: number;
  readonly pAt: number;
  readonly qAt: number;
}

export interface Factors {
  readonly matrices: readonly FactorMatrix[];
  /** Parts of the bucket that are all-reduced without compression. */
  readonly rest: readonly FactorPiece[];
  readonly pLength: number;
  readonly qLength: number;
}

/** `shapes`: of the tensors of a bucket, in the bucket's order. */
export function factorsOf(shapes: readonly Shape[], { rank: most, minRate }: PowerSGDSettings): Factors {
  const rest: FactorPiece[] = [];
  const bySize = new Map<string, Omit<FactorMatrix, 'pAt' | 'qAt'>[]>();
  let offset = 0;
  for (const shape of shapes) {
    const length = elements(shape);
    const rows = shape[0] ?? 1;
    const columns = length / rows;
    const rank = Math.min(rows, columns, most);
    if ((rows + columns) * rank * minRate < length) {
      const key = `${rows} ${columns}`;
      bySize.set(key, [...(bySize.get(key) ?? []), { at: offset, length, rows, columns, rank }]);
    } else rest.push({ at: offset, length });
    offset += length;
  }
  let [pLength, qLength] = [0, 0];
  const matrices = [...bySize.values()].flat().map((matrix) => {
    const placed = { ...matrix, pAt: pLength, qAt: qLength };
    pLength += matrix.rows * matrix.rank;
    qLength += matrix.columns * matrix.rank;
    return placed;
  });
  return { matrices, rest, pLength, qLength };
}

/** np.random.RandomState(0).randint(1_000_000_000), called repeatedly: returns the index-th number. */
function seedNumbers(): (index: number) => number {
  const seeds: number[] = [];
  const numpy = new Mt19937();
  numpy.seed(0);
  return (index) => {
    while (seeds.length <= index) {
      // Numpy discards numbers above the range.
      const value = numpy.word() & 0x3fffffff;
      if (value < 1_000_000_000) seeds.push(value);
    }
    return at(seeds, index);
  };
}

/**
 * Draws the Q of a bucket with `torch.manual_seed(rng.randint(...))` and torch.randn; `draw` counts the draws of all
 * buckets.
 */
export function qDrawer(): (factors: Factors, draw: number) => Float32Array<ArrayBuffer> {
  const seedNumber = seedNumbers();
  return ({ matrices, qLength }, draw) => {
    const generator = new Generator(seedNumber(draw));
    const result = new Float32Array(qLength);
    for (const { qAt, columns, rank } of matrices) result.set(generator.randn(columns * rank), qAt);
    return result;
  };
}
