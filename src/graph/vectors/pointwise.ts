/** Elementwise operators and sums of columns with vectors. */
import { at } from '../../base/invariant';
import { sameShape } from '../../tensor/shape';
import type { KernelName } from './kernels';
import type { VectorOp } from './vector-op';
import { addressOf } from './vectors';

/** Fewest elements per thread. */
const OF_A_THREAD = 8192;

/** f(x), or f(dy, saved). */
const unary =
  (kernel: KernelName): VectorOp =>
  ({ inputs, outputs }, vectors) => {
    const operands = [...inputs, at(outputs, 0)].map(addressOf);
    const runs = vectors.runs(at(outputs, 0).length, OF_A_THREAD);
    const calls = runs.map(([from, to]) => [...operands.map((address) => address + 4 * from), to - from]);
    return () => vectors.each(kernel, calls);
  };

/** f(a, b) if no operand is broadcast. */
const binary =
  (kernel: 'add' | 'mul'): VectorOp =>
  (args, vectors) => {
    const { shape } = at(args.outputTypes, 0);
    return args.inputTypes.every((type) => sameShape(type.shape, shape)) ? unary(kernel)(args, vectors) : undefined;
  };

/** One kernel for each form of gelu. */
const gelu =
  (exact: KernelName, byTanh: KernelName): VectorOp =>
  (args, vectors) =>
    unary(args.attrs.approximate === 'tanh' ? byTanh : exact)(args, vectors);

export const POINTWISE_VECTORS: readonly (readonly [string, VectorOp])[] = [
  ['ops/relu', unary('relu')],
  ['ops/relu-grad', unary('reluGrad')],
  ['ops/tanh', unary('tanh')],
  ['ops/tanh-grad', unary('tanhGrad')],
  ['ops/sigmoid', unary('sigmoid')],
  ['ops/sigmoid-grad', unary('sigmoidGrad')],
  ['ops/gelu', gelu('gelu', 'geluTanh')],
  ['ops/gelu-grad', gelu('geluGrad', 'geluTanhGrad')],
  ['ops/silu', unary('silu')],
  ['ops/silu-grad', unary('siluGrad')],
  ['ops/add', binary('add')],
  ['ops/mul', binary('mul')],
];
