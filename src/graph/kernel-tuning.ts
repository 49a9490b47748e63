/**
 * What lowering may know of an adapter: how long a multiply-add takes in each of the kernels that multiply matrices,
 * relative to each other. Plain numbers, so that a measurement can be kept. `runtime/webgpu` chooses one for its
 * adapter; who lowers without one gets that of software adapters, which is what most tests run on. What is measured
 * chooses between kernels that give the same bits; where the order of sums differs, the shape and `workgroups` choose.
 */
export const PRODUCT_KERNELS = [
  'matmul/rows',
  'matmul/dots',
  'ops/matmul-tiled',
  'matmul/narrow',
  'workgroup/product',
  'ops/matmul',
] as const;

export type ProductKernel = (typeof PRODUCT_KERNELS)[number];

export interface KernelTuning {
  /**
   * Relative time of one multiply-add; Infinity: not on this adapter. 'ops/matmul' stands for all kernels with an
   * invocation per element.
   */
  readonly matmul: Readonly<Record<ProductKernel, number>>;
  /** Barriers and workgroup memory are fast: sums and attention take the kernels of shaders/workgroup. */
  readonly workgroups: boolean;
  /**
   * Products with few elements are faster in few large tiles, which read less, than in many small ones, which fill a
   * large GPU. The bits are the same.
   */
  readonly largeTiles: boolean;
}

/**
 * Measured on SwiftShader, two cores: 3.1, 3.1, 2.0, 1.3, 0.4 and 0.24 GFLOP/s a core when quiet. Barriers are dear,
 * loads cost more than sums.
 */
export const SOFTWARE_TUNING: KernelTuning = {
  matmul: {
    'matmul/rows': 1,
    'matmul/dots': 1,
    'ops/matmul-tiled': 1.6,
    'matmul/narrow': 2.4,
    'workgroup/product': Number.POSITIVE_INFINITY,
    'ops/matmul': 13,
  },
  workgroups: false,
  largeTiles: false,
};
