/**
 * The choice between the two ways to multiply matrices on a GPU: one invocation an element for small products, a tile of 8 x 16 in registers for
 * larger ones ('ops/matmul-tiled'). Both give the same bits; only speed decides. Used by matmul and by the linear operators.
 */
import type { DenseLaunch, Operand } from './op';

const TILE_ROWS = 8;
const TILE_COLUMNS = 16;
const GROUP = { x: 4, y: 8 };

export interface TiledProduct {
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

/**
 * Whether tiles pay. Below 32,768 multiply-adds their pipeline is not worth building; a tile also takes as long at the edge of a narrow matrix as in the
 * middle, and SwiftShader runs four neighbours in x as one, so the product must fill them.
 */
export function tilesPay(m: number, n: number, k: number): boolean {
  const filled = Math.ceil(m / TILE_ROWS) * Math.ceil(n / (TILE_COLUMNS * GROUP.x));
  return m * n * k >= 32_768 && filled * 64 <= m * n;
}

export function tiledProduct({ m, n, k, steps, a, b, bias, c, activation }: TiledProduct): DenseLaunch {
  return {
    kind: 'dense',
    kernel: 'ops/matmul-tiled',
    constants: { ACTIVATION: activation ?? 0 },
    // Without a bias its binding is filled with b, which the kernel then does not read as one.
    bindings: [a, b, bias ?? b, c],
    params: [m, n, k, ...steps, bias === undefined ? 0 : 1],
    workgroups: [Math.ceil(n / (TILE_COLUMNS * GROUP.x)), Math.ceil(m / (TILE_ROWS * GROUP.y))],
  };
}
