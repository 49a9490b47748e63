/** One row of the kernel table: the facts about a .wgsl file that decide its bind group layouts. */
export interface KernelSpec {
  /** A letter for each tensor of group 0 in binding order: r is read, w is read and written. */
  readonly tensors: string;
  /** Fields of struct Params; for dense kernels, one stride per tensor follows them. */
  readonly params: number;
  /**
   * Segmented kernels read a block table at group 1, binding 1, and have an override LANES: the invocations that share
   * a block.
   */
  readonly segmented?: boolean;
}

export const isWritten = (spec: KernelSpec, tensor: number): boolean => spec.tensors[tensor] === 'w';
