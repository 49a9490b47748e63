/**
 * One row a kernel: what its .wgsl file declares. The runtime builds explicit bind group layouts from it, a test holds it against the
 * file. A kernel's id is its path under shaders/ without extension.
 */
export interface KernelSpec {
  /** Tensors of group 0 in binding order. */
  readonly tensors: readonly { readonly name: string; readonly access: 'read' | 'read_write'; readonly dtype?: 'f32' | 'i32' }[];
  /** Fields of struct Params after which, for dense kernels, one stride a tensor follows: 'batch: u32'. */
  readonly params: readonly `${string}: ${'u32' | 'f32'}`[];
  /** Segmented kernels read a block table at group 1, binding 1. */
  readonly segmented?: boolean;
  /** Names of its override constants. */
  readonly overrides?: readonly string[];
  readonly workgroupSize: readonly [number, number];
}

export const KERNELS = {
  // comm: transfers between devices that share a GPUDevice. One workgroup row (z) a transfer; the table gives offsets.
  'comm/transfer': {
    tensors: [
      { name: 'source', access: 'read' },
      { name: 'target', access: 'read_write' },
    ],
    params: [],
    segmented: true,
    overrides: ['ADD'],
    workgroupSize: [64, 1],
  },
  'comm/transfer-within': {
    tensors: [{ name: 'memory', access: 'read_write' }],
    params: [],
    segmented: true,
    overrides: ['ADD'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;

export type KernelId = keyof typeof KERNELS;
