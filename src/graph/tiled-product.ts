/**
 * Chooses the kernel of a matrix product: the kernel whose tiles, padded to the edges of this shape, are cheapest by
 * the adapter's tuning. All give the same bits. (Kernels for hardware adapters are in workgroup-launches.ts.) Used by
 * matmul and the linear operators, which have kernels with one invocation per element for products that suit no tile.
 */
import { type KernelTuning, type ProductKernel, SOFTWARE_TUNING } from './kernel-tuning';
import { grid } from './launch';
import type { DenseLaunch, Operand } from './op';

export interface StridedProduct {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** Steps in elements: a over (row, k), b over (k, column). */
  readonly steps: readonly [aRow: number, aStep: number, bStep: number, bColumn: number];
  readonly a: Operand;
  readonly b: Operand;
  readonly bias?: Operand;
  readonly c: Operand;
  readonly activation?: number;
}

interface TileKernel {
  readonly kernel: Exclude<ProductKernel, 'ops/matmul' | 'workgroup/product'>;
  /** The rows and columns that a group of four invocations in x computes, whether inside the matrix or not. */
  readonly rows: number;
  readonly columns: number;
  fits(product: StridedProduct): boolean;
  workgroups(product: StridedProduct): readonly [number, number];
}

const always = () => true;

export const TILE_KERNELS: readonly TileKernel[] = [
  {
    kernel: 'matmul/rows',
    rows: 8,
    columns: 64,
    fits: ({ n, steps, bias, activation }) =>
      steps[2] === n && steps[3] === 1 && n % 4 === 0 && bias === undefined && !activation,
    workgroups: ({ m, n }) => [Math.ceil(n / 64), Math.ceil(m / 64)],
  },
  {
    kernel: 'matmul/dots',
    rows: 16,
    columns: 64,
    fits: ({ k, steps: [aRow, aStep, bStep, bColumn] }) =>
      aRow === k && aStep === 1 && bStep === 1 && bColumn === k && k % 4 === 0,
    workgroups: ({ m, n }) => [Math.ceil(n / 64), Math.ceil(m / 32)],
  },
  {
    kernel: 'ops/matmul-tiled',
    rows: 8,
    columns: 64,
    fits: always,
    workgroups: ({ m, n }) => [Math.ceil(n / 64), Math.ceil(m / 64)],
  },
  {
    kernel: 'matmul/narrow',
    rows: 4,
    columns: 4,
    fits: always,
    workgroups: ({ m, n }) => grid(Math.ceil(m / 4) * Math.ceil(n / 4)),
  },
];

/** Whether tiles are considered on any adapter: for fewer multiply-adds their pipeline is not worth building. */
export const tilesPay = (m: number, n: number, k: number): boolean => m * n * k >= 32_768;

/** The launch with the cheapest tiles, or undefined if one invocation per element is cheaper. */
export function tiledProduct(product: StridedProduct, tuning: KernelTuning = SOFTWARE_TUNING): DenseLaunch | undefined {
  const { m, n, k } = product;
  if (!tilesPay(m, n, k)) return undefined;
  let least = m * n * tuning.matmul['ops/matmul'];
  let best: TileKernel | undefined;
  for (const tile of TILE_KERNELS) {
    const padded = Math.ceil(m / tile.rows) * tile.rows * Math.ceil(n / tile.columns) * tile.columns;
    const cost = padded * tuning.matmul[tile.kernel];
    const workgroups = tile.workgroups(product);
    if (cost >= least || !tile.fits(product) || workgroups.some((count) => count > 65_535)) continue;
    least = cost;
    best = tile;
  }
  return best && productLaunch(best, product);
}

export function productLaunch(tile: TileKernel, product: StridedProduct): DenseLaunch {
  const { m, n, k, steps, a, b, bias, c, activation } = product;
  const workgroups = tile.workgroups(product);
  if (tile.kernel === 'matmul/rows') {
    const params = [m, n, k, steps[0], steps[1]];
    return { kind: 'dense', kernel: tile.kernel, bindings: [a, b, c], params, workgroups };
  }
  return {
    kind: 'dense',
    kernel: tile.kernel,
    constants: { ACTIVATION: activation ?? 0 },
    // Without a bias, the bias binding gets b, which the kernel then does not read through it.
    bindings: [a, b, bias ?? b, c],
    params: [m, n, k, ...steps, bias === undefined ? 0 : 1],
    workgroups,
  };
}
