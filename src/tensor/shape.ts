/** Shapes and dtypes. A shape lists sizes outermost first, as PyTorch prints it. */
export type Shape = readonly number[];
export type DType = 'f32' | 'i32';
export type HostArray = Float32Array | Int32Array;

export const elements = (shape: Shape): number => shape.reduce((n, d) => n * d, 1);
export const sameShape = (a: Shape, b: Shape): boolean => a.length === b.length && a.every((d, i) => d === b[i]);
export const formatShape = (shape: Shape): string => `[${shape.join(', ')}]`;
export const allocate = (dtype: DType, n: number): HostArray =>
  dtype === 'f32' ? new Float32Array(n) : new Int32Array(n);
