/**
 * The kernels of shaders/workgroup for a matrix product: which tiles, and whether the product is cut along k. Called by
 * workgroup-launches.ts for lowering, and by the measurement of a tuning.
 */
import type { KernelId } from './kernel-table';
import type { KernelTuning, ProductKernel } from './kernel-tuning';
import type { DenseLaunch } from './op';
import type { StridedProduct } from './tiled-product';

/**
 * Products with fewer elements are cut along k, because their 64 x 64 tiles would leave most of a GPU idle. Only the
 * shape decides this, because it changes the order of sums. (Measured on an H200: docs/benchmarks.md.)
 */
const SPLIT_BELOW = 2 ** 18;
/** Workgroups that fill a GPU. */
const FILLING = 128;
/** Most traffic of a product, relative to the minimum (each operand and the result once). */
const MOST_TRAFFIC = 2;

export const isProduct = (kernel: KernelId): kernel is ProductKernel =>
  kernel === 'matmul/rows' ||
  kernel === 'matmul/dots' ||
  kernel === 'matmul/narrow' ||
  kernel === 'ops/matmul-tiled' ||
  kernel === 'ops/matmul';

interface SharedProduct extends StridedProduct {
  /** The next launch reads `a` once more: it sums the gradient of a bias. */
  readonly isSummed?: boolean;
}

export function productFor(product: SharedProduct, tuning: KernelTuning, launch: DenseLaunch): DenseLaunch {
  const { m, n } = product;
  const { matmul } = tuning;
  const isSlower = isProduct(launch.kernel) && matmul['workgroup/product'] > matmul[launch.kernel];
  const shared = m * n < SPLIT_BELOW ? cutProduct(product, tuning) : isSlower ? launch : sharedProduct(product, tuning);
  return shared.workgroups.every((count) => count <= 65_535) ? shared : launch;
}

/** Traffic with tiles of this size, relative to the minimum. */
function trafficOf({ m, n, k, isSummed }: SharedProduct, rows: number, columns: number): number {
  const read = m * k * (Math.ceil(n / columns) + (isSummed ? 1 : 0)) + n * k * Math.ceil(m / rows);
  return (read + m * n) / (m * k + n * k + m * n);
}

/** `rows`: of a tile, 64 or 128; by default tall tiles if they are numerous enough or save reads. */
export function sharedProduct(product: SharedProduct, { rows, largeTiles }: TileChoice = {}): DenseLaunch {
  return vectorLaunch('workgroup/product', product, { TY: rowsOfTile(product, rows, largeTiles) / 8, CUT: 0 });
}

interface TileChoice {
  readonly rows?: 64 | 128;
  /** From the tuning. */
  readonly largeTiles?: boolean;
}

function rowsOfTile(product: SharedProduct, rows?: 64 | 128, largeTiles = false): 64 | 128 {
  if (rows !== undefined) return rows;
  const tall = Math.ceil(product.m / 128) * Math.ceil(product.n / 64) >= FILLING;
  return tall || (largeTiles && trafficOf(product, 64, 64) > MOST_TRAFFIC) ? 128 : 64;
}

/** A product cut along k into 4 or 16 slices, by shape. The adapter chooses the tiles; the bits are the same. */
function cutProduct(product: SharedProduct, { largeTiles }: KernelTuning): DenseLaunch {
  const side = 4 * sideOf(product);
  return largeTiles && trafficOf(product, side, side) > MOST_TRAFFIC ? slicedProduct(product) : splitProduct(product);
}

/** Side of the tiles of split-product, in fours: 32 x 32 if these tiles fill a GPU. */
const sideOf = ({ m, n }: StridedProduct): 4 | 8 => (Math.ceil(n / 32) * Math.ceil(m / 32) >= FILLING ? 8 : 4);

/** Length of a slice along k. */
function partOf(product: StridedProduct): number {
  const side = sideOf(product);
  return Math.ceil((product.k * side * side) / 256 / 4) * 4;
}

/** Small tiles, whose slices are computed side by side. */
export function splitProduct(product: StridedProduct): DenseLaunch {
  return vectorLaunch('workgroup/split-product', product, { SIDE: sideOf(product) });
}

/** Large tiles, whose slices are computed one after the other. */
export function slicedProduct(product: SharedProduct, rows?: 64 | 128): DenseLaunch {
  return vectorLaunch('workgroup/product', product, { TY: rowsOfTile(product, rows, true) / 8, CUT: 1 });
}

/** The direction in which an operand has whole vectors: 1 along k, 2 along its `length` rows or columns, 0 neither. */
const formOf = (across: number, step: number, length: number, k: number): number =>
  step === 1 && across % 4 === 0 && k % 4 === 0 ? 1 : across === 1 && step % 4 === 0 && length % 4 === 0 ? 2 : 0;

function vectorLaunch(
  kernel: 'workgroup/product' | 'workgroup/split-product',
  product: StridedProduct,
  constants: Readonly<Record<'SIDE', number> | Record<'TY' | 'CUT', number>>,
): DenseLaunch {
  const { m, n, k, steps, a, b, bias, c, activation } = product;
  const [aRow, aStep, bStep, bColumn] = steps;
  const forms = { A_FORM: formOf(aRow, aStep, m, k), B_FORM: formOf(bColumn, bStep, n, k) };
  const [rows, columns] = 'SIDE' in constants ? [4 * constants.SIDE, 4 * constants.SIDE] : [8 * constants.TY, 64];
  return {
    kind: 'dense',
    kernel,
    constants: { ...constants, ...forms, ACTIVATION: activation ?? 0 },
    // Without a bias, the bias binding gets b, which the kernel then does not read through it.
    bindings: [a, a, b, b, bias ?? b, c],
    params: [m, n, k, ...steps, bias === undefined ? 0 : 1, partOf(product)],
    workgroups: [Math.ceil(n / columns), Math.ceil(m / rows)],
  };
}
