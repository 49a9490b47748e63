/** Shapes and dtypes. A shape lists sizes outermost first, as PyTorch prints it. */
export type Shape = readonly number[];
export type DType = 'f32' | 'i32';
export type HostArray = Float32Array | Int32Array;

/** Bytes of one element. A test sets a type to two bytes here, to find code that assumes four. */
export const ELEMENT_BYTES: Readonly<Record<DType, number>> = { f32: 4, i32: 4 };
export const bytesOf = (dtype: DType): number => ELEMENT_BYTES[dtype];
/** Bytes of a whole tensor. Parameters without a type are float32. */
export const tensorBytes = ({ shape, dtype = 'f32' }: { readonly shape: Shape; readonly dtype?: DType }): number =>
  elements(shape) * bytesOf(dtype);

export const elements = (shape: Shape): number => shape.reduce((n, d) => n * d, 1);
export const sameShape = (a: Shape, b: Shape): boolean => a.length === b.length && a.every((d, i) => d === b[i]);
export const formatShape = (shape: Shape): string => `[${shape.join(', ')}]`;
export const allocate = (dtype: DType, n: number): HostArray =>
  dtype === 'f32' ? new Float32Array(n) : new Int32Array(n);
