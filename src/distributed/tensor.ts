/**
 * The tensors of the eager API: numbers on the host with a shape. Not torch.Tensor: no arithmetic, no views, no
 * gradients.
 */
import { LockstepError } from '../base/errors';
import { type DType, elements, type HostArray, type Shape } from '../tensor/shape';

export interface Tensor {
  readonly shape: Shape;
  readonly dtype: DType;
  /** Row-major. Collectives write into it, as torch's do. */
  readonly data: HostArray;
}

/** `tensor([1, 2, 3])`; with a shape if it is not a list. */
export function tensor(values: ArrayLike<number>, { dtype = 'f32', shape }: TensorOptions = {}): Tensor {
  const data = dtype === 'f32' ? Float32Array.from(values) : Int32Array.from(values);
  const wanted = shape ?? [data.length];
  if (elements(wanted) !== data.length)
    throw new LockstepError('shape', `shape '[${wanted.join(', ')}]' is invalid for input of size ${data.length}`);
  return { shape: wanted, dtype, data };
}

export interface TensorOptions {
  readonly dtype?: DType;
  readonly shape?: Shape;
}

export function full(shape: Shape, value: number, dtype: DType = 'f32'): Tensor {
  const n = elements(shape);
  return { shape, dtype, data: dtype === 'f32' ? new Float32Array(n).fill(value) : new Int32Array(n).fill(value) };
}
export const zeros = (shape: Shape, dtype: DType = 'f32'): Tensor => full(shape, 0, dtype);
export const ones = (shape: Shape, dtype: DType = 'f32'): Tensor => full(shape, 1, dtype);

export function isTensor(value: unknown): value is Tensor {
  if (typeof value !== 'object' || value === null) return false;
  const { shape, data } = value as Partial<Tensor>;
  return Array.isArray(shape) && (data instanceof Float32Array || data instanceof Int32Array);
}

/** As PyTorch's fingerprints and flight records name them. */
