/**
 * How many places a window takes along an axis: the one rule behind the sizes of convolution and pooling, for the
 * operators and for the page, which draws shapes while one edits.
 */

/** `span` is the window's own size with its holes; `size` has the padding of both sides. */
export const places = (size: number, span: number, stride: number): number => Math.floor((size - span) / stride) + 1;

/** Of a kernel with `dilation` pixels from one element to the next. */
export const spanOf = (kernel: number, dilation: number): number => dilation * (kernel - 1) + 1;
