/**
 * What one row of the kernel table says: what a .wgsl file declares. A kernel's id is its path under shaders/ without
 * extension.
 */
export interface KernelSpec {
  /** Tensors of group 0 in binding order. */
  readonly tensors: readonly {
    readonly name: string;
    readonly access: 'read' | 'read_write';
    readonly dtype?: 'f32' | 'i32';
  }[];
  /** Fields of struct Params after which, for dense kernels, one stride a tensor follows: 'batch: u32'. */
  readonly params: readonly `${string}: ${'u32' | 'f32'}`[];
  /**
   * Segmented kernels read a block table at group 1, binding 1, and have an override LANES: the invocations that share
   * a block.
   */
  readonly segmented?: boolean;
  /** Names of its override constants. */
  readonly overrides?: readonly string[];
  readonly workgroupSize: readonly [number, number];
}
