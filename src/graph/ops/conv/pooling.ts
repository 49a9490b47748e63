/**
 * Sizes of the pooling operators: windows over the planes of [N, C, H, W] or [C, H, W]. A plane is one channel of one
 * sample. Throws LockstepError('shape') in PyTorch's words. Used by max-pool2d, avg-pool2d and adaptive-avg-pool2d.
 */

import { at } from '../../../base/invariant';
import { pooledPlaces } from '../../../shapes/window';
import { elements, formatShape, type Shape } from '../../../tensor/shape';
import type { Attrs } from '../../op';
import { checkNotEmpty, pairOf, refuse } from './geometry';

export interface Pooling {
  readonly planes: number;
  readonly height: number;
  readonly width: number;
  readonly outHeight: number;
  readonly outWidth: number;
  readonly kernelY: number;
  readonly kernelX: number;
  readonly strideY: number;
  readonly strideX: number;
  readonly padY: number;
  readonly padX: number;
}

/** attrs: kernelSize, stride (kernelSize when absent), padding, ceilMode. */
export function poolingOf(x: Shape, attrs: Attrs): Pooling {
  const [kernelY, kernelX] = pairOf(attrs, 'kernelSize', 1);
  const [strideY, strideX] = attrs.stride === undefined ? [kernelY, kernelX] : pairOf(attrs, 'stride', 1);
  const [padY, padX] = pairOf(attrs, 'padding', 0);
  const [height, width] = [at(x, x.length - 2), at(x, x.length - 1)];
  const outHeight = pooledPlaces(height, kernelY, padY, strideY, attrs.ceilMode === true);
  const outWidth = pooledPlaces(width, kernelX, padX, strideX, attrs.ceilMode === true);
  const planes = elements(x.slice(0, -2));
  return { planes, height, width, outHeight, outWidth, kernelY, kernelX, strideY, strideX, padY, padX };
}

export function checkPooling(x: Shape, attrs: Attrs, name: string): Pooling {
  if (x.length !== 3 && x.length !== 4) refuse('non-empty 3D or 4D (batch mode) tensor expected for input');
  checkNotEmpty(x, name);
  if (pairOf(attrs, 'kernelSize', 1).some((k) => k <= 0)) refuse('kernel size should be greater than zero');
  if (attrs.stride !== undefined && pairOf(attrs, 'stride', 1).some((s) => s <= 0)) refuse('stride should not be zero');
  const p = poolingOf(x, attrs);
  if (p.padY < 0 || p.padX < 0) refuse('negative padding is not supported');
  if (p.padY > p.kernelY / 2 || p.padX > p.kernelX / 2) {
    const [pad, kernel] = p.padY > p.kernelY / 2 ? [p.padY, p.kernelY] : [p.padX, p.kernelX];
    refuse(`pad should be at most half of kernel size, but got pad=${pad} and kernel_size=${kernel}`);
  }
  if (p.outHeight < 1 || p.outWidth < 1) {
    const channels = at(x, x.length - 3);
    refuse(
      `Given input size: (${channels}x${p.height}x${p.width}). Calculated output size: (${channels}x${p.outHeight}x${p.outWidth}). Output size is too small`,
    );
  }
  return p;
}

export const pooledShape = (x: Shape, p: { readonly outHeight: number; readonly outWidth: number }): Shape => [
  ...x.slice(0, -2),
  p.outHeight,
  p.outWidth,
];

/** Adaptive pooling to [H, W], or to H for both. */
export function adaptiveOf(x: Shape, attrs: Attrs): Pooling {
  const [outHeight, outWidth] = pairOf(attrs, 'outputSize', 1);
  const [height, width] = [at(x, x.length - 2), at(x, x.length - 1)];
  const none = { kernelY: 0, kernelX: 0, strideY: 0, strideX: 0, padY: 0, padX: 0 };
  return { planes: elements(x.slice(0, -2)), height, width, outHeight, outWidth, ...none };
}

export function checkAdaptive(x: Shape, attrs: Attrs): Pooling {
  if (x.length !== 3 && x.length !== 4)
    refuse(`adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got ${formatShape(x)}`);
  checkNotEmpty(x, 'adaptive_avg_pool2d');
  const p = adaptiveOf(x, attrs);
  if (p.outHeight < 1 || p.outWidth < 1)
    refuse(
      `adaptive_avg_pool2d: elements of output_size must be greater than 0 but received {${p.outHeight}, ${p.outWidth}}`,
    );
  return p;
}
