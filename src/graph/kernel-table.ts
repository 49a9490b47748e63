/**
 * One row a kernel: what its .wgsl file declares. The runtime builds explicit bind group layouts from it, a test holds it against the
 * file. A kernel's id is its path under shaders/ without extension.
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
  /** Segmented kernels read a block table at group 1, binding 1, and have an override LANES: the invocations that share a block. */
  readonly segmented?: boolean;
  /** Names of its override constants. */
  readonly overrides?: readonly string[];
  readonly workgroupSize: readonly [number, number];
}

export const KERNELS = {
  // comm: transfers between devices that share a GPUDevice; bits are moved as i32, so that class indices survive.
  'comm/transfer': {
    tensors: [
      { name: 'source', access: 'read', dtype: 'i32' },
      { name: 'destination', access: 'read_write', dtype: 'i32' },
    ],
    params: [],
    segmented: true,
    overrides: ['ADD', 'LANES'],
    workgroupSize: [64, 1],
  },
  'comm/transfer-within': {
    tensors: [{ name: 'memory', access: 'read_write', dtype: 'i32' }],
    params: [],
    segmented: true,
    overrides: ['ADD', 'LANES'],
    workgroupSize: [64, 1],
  },
  // ddp: gradients into the flat bucket, pre-divided.
  'ddp/pack': {
    tensors: [
      { name: 'gradient', access: 'read' },
      { name: 'bucket', access: 'read_write' },
    ],
    params: ['scale: f32'],
    segmented: true,
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
  // optim: one step over all parameters of a device; numbers of the step come from `scalars` (optim/scalars.ts).
  'optim/sgd': {
    tensors: [
      { name: 'scalars', access: 'read' },
      { name: 'gradient', access: 'read' },
      { name: 'parameter', access: 'read_write' },
    ],
    params: [],
    segmented: true,
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
  'optim/sgd-momentum': {
    tensors: [
      { name: 'scalars', access: 'read' },
      { name: 'gradient', access: 'read' },
      { name: 'parameter', access: 'read_write' },
      { name: 'momentumBuffer', access: 'read_write' },
    ],
    params: [],
    segmented: true,
    overrides: ['NESTEROV', 'LANES'],
    workgroupSize: [64, 1],
  },
  'optim/adam': {
    tensors: [
      { name: 'scalars', access: 'read' },
      { name: 'gradient', access: 'read' },
      { name: 'parameter', access: 'read_write' },
      { name: 'expAvg', access: 'read_write' },
      { name: 'expAvgSq', access: 'read_write' },
    ],
    params: [],
    segmented: true,
    overrides: ['DECOUPLED', 'LANES'],
    workgroupSize: [64, 1],
  },
  // ops: forward and backward of the layers. loss: the losses and their gradients.
  'ops/linear': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'weight', access: 'read' },
      { name: 'bias', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['batch: u32', 'in_features: u32', 'out_features: u32'],
    overrides: ['HAS_BIAS', 'ACTIVATION'],
    workgroupSize: [64, 1],
  },
  'ops/linear-grad-input': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'weight', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['batch: u32', 'in_features: u32', 'out_features: u32'],
    workgroupSize: [64, 1],
  },
  'ops/linear-grad-params': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'dy', access: 'read' },
      { name: 'dw', access: 'read_write' },
      { name: 'db', access: 'read_write' },
    ],
    params: ['batch: u32', 'in_features: u32', 'out_features: u32'],
    workgroupSize: [64, 1],
  },
  'ops/linear-grad-weight': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'dy', access: 'read' },
      { name: 'dw', access: 'read_write' },
    ],
    params: ['batch: u32', 'in_features: u32', 'out_features: u32'],
    workgroupSize: [64, 1],
  },
  'ops/add': {
    tensors: [
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32', 'period: u32'],
    workgroupSize: [64, 1],
  },
  'ops/add-grad-row': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'db', access: 'read_write' },
    ],
    params: ['rows: u32', 'columns: u32'],
    workgroupSize: [64, 1],
  },
  'ops/relu': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'ops/relu-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'ops/tanh': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'ops/tanh-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'ops/matmul': {
    tensors: [
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'c', access: 'read_write' },
    ],
    params: ['m: u32', 'n: u32', 'k: u32', 'a_row: u32', 'a_step: u32', 'b_step: u32', 'b_column: u32'],
    workgroupSize: [64, 1],
  },
  'ops/matmul-tiled': {
    tensors: [
      { name: 'a', access: 'read' },
      { name: 'b', access: 'read' },
      { name: 'bias', access: 'read' },
      { name: 'c', access: 'read_write' },
    ],
    params: [
      'm: u32',
      'n: u32',
      'k: u32',
      'a_row: u32',
      'a_step: u32',
      'b_step: u32',
      'b_column: u32',
      'has_bias: u32',
    ],
    overrides: ['ACTIVATION'],
    workgroupSize: [4, 8],
  },
  'ops/sigmoid': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'ops/sigmoid-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32'],
    workgroupSize: [64, 1],
  },
  'ops/gelu': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['n: u32'],
    overrides: ['APPROXIMATE'],
    workgroupSize: [64, 1],
  },
  'ops/gelu-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'x', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32'],
    overrides: ['APPROXIMATE'],
    workgroupSize: [64, 1],
  },
  'ops/softmax': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32'],
    workgroupSize: [64, 1],
  },
  'ops/softmax-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32'],
    workgroupSize: [64, 1],
  },
  'ops/log-softmax': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32'],
    workgroupSize: [64, 1],
  },
  'ops/log-softmax-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'y', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32'],
    workgroupSize: [64, 1],
  },
  'ops/sum': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'y', access: 'read_write' },
    ],
    params: ['outer: u32', 'n: u32', 'inner: u32', 'divisor: f32'],
    workgroupSize: [64, 1],
  },
  'ops/sum-grad': {
    tensors: [
      { name: 'dy', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['outer: u32', 'n: u32', 'inner: u32', 'divisor: f32'],
    workgroupSize: [64, 1],
  },
  'loss/mse': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 't', access: 'read' },
      { name: 'loss', access: 'read_write' },
    ],
    params: ['n: u32', 'divisor: f32'],
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
  'loss/mse-grad': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 't', access: 'read' },
      { name: 'upstream', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32', 'divisor: f32'],
    workgroupSize: [64, 1],
  },
  'loss/bce-with-logits': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 't', access: 'read' },
      { name: 'loss', access: 'read_write' },
    ],
    params: ['n: u32', 'divisor: f32'],
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
  'loss/bce-with-logits-grad': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 't', access: 'read' },
      { name: 'upstream', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['n: u32', 'divisor: f32'],
    workgroupSize: [64, 1],
  },
  'loss/cross-entropy': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'labels', access: 'read', dtype: 'i32' },
      { name: 'loss', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32', 'mean: u32'],
    overrides: ['LANES'],
    workgroupSize: [64, 1],
  },
  'loss/cross-entropy-grad': {
    tensors: [
      { name: 'x', access: 'read' },
      { name: 'labels', access: 'read', dtype: 'i32' },
      { name: 'upstream', access: 'read' },
      { name: 'dx', access: 'read_write' },
    ],
    params: ['rows: u32', 'classes: u32', 'mean: u32'],
    workgroupSize: [64, 1],
  },
} as const satisfies Record<string, KernelSpec>;

export type KernelId = keyof typeof KERNELS;
