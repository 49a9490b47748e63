/**
 * The number of window positions along an axis: the rule for the sizes of convolution and pooling, shared by the
 * operators and the page, which draws shapes while the user edits.
 */

/** `span`: the window's size including dilation; `size`: includes the padding on both sides. */
export const places = (size: number, span: number, stride: number): number => Math.floor((size - span) / stride) + 1;

/** For pooling: with ceilMode the last window must still start inside the image or the padding before it. */
export function pooledPlaces(size: number, kernel: number, pad: number, stride: number, ceilMode: boolean): number {
  const out = places(size + 2 * pad + (ceilMode ? stride - 1 : 0), kernel, stride);
  return ceilMode && (out - 1) * stride >= size + pad ? out - 1 : out;
}

/** The span of a kernel with `dilation` pixels from one element to the next. */
export const spanOf = (kernel: number, dilation: number): number => dilation * (kernel - 1) + 1;
