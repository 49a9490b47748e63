/**
 * What lowering may know about an adapter: the relative time of a multiply-add in each kernel that multiplies matrices.
 * Plain numbers, so that a measurement can be stored. `runtime/webgpu` chooses the tuning for its adapter; without one,
 * lowering uses the tuning of software adapters, on which most tests run. Measured times choose between kernels with
 * the same bits; where the order of sums differs, the shape and `workgroups` choose.
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
   * Relative time of one multiply-add; Infinity: the adapter cannot run the kernel. 'ops/matmul' stands for all kernels
   * with one invocation per element.
   */
  readonly matmul: Readonly<Record<ProductKernel, number>>;
  /** Barriers and workgroup memory are fast: sums and attention take the kernels of shaders/workgroup. */
  readonly workgroups: boolean;
  /**
   * Products with few elements are faster in a few large tiles, which read less, than in many small tiles, which fill a
   * large GPU. The bits are the same.
   */
  readonly largeTiles: boolean;
  /** Kernels of shaders/workgroup are faster if neighbours in a subgroup add up by shuffles. The bits are the same. */
  readonly subgroups: boolean;
}

/**
 * Measured on SwiftShader, two cores: 3.1, 3.1, 2.0, 1.3, 0.4 and 0.24 GFLOP/s a core when quiet. Barriers are
 * expensive, and loads cost more than sums.
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
  subgroups: false,
};
