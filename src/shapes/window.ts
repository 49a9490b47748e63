/**
 * How many places a window takes along an axis: the one rule behind the sizes of convolution and pooling, for the
 * operators and for the page, which draws shapes while one edits.
 */

/** `span` is the window's own size with its holes; `size` has the padding of both sides. */
export const places = (size: number, span: number, stride: number): number => Math.floor((size - span) / stride) + 1;

/** Of pooling: with ceilMode the last window must still start inside the image or the padding before it. */
export function pooledPlaces(size: number, kernel: number, pad: number, stride: number, ceilMode: boolean): number {
  const out = places(size + 2 * pad + (ceilMode ? stride - 1 : 0), kernel, stride);
  return ceilMode && (out - 1) * stride >= size + pad ? out - 1 : out;
}

/** Of a kernel with `dilation` pixels from one element to the next. */
export const spanOf = (kernel: number, dilation: number): number => dilation * (kernel - 1) + 1;
