/**
 * Sizes of a convolution, from shapes and torch's arguments: one form for conv1d (height 1), conv2d and their
 * gradients, batched or not. Throws LockstepError('shape') in PyTorch's words where they do not fit. Used by every
 * operator of this folder that has a weight.
 */

import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { lookup } from '../../../base/lookup';
import { places, spanOf } from '../../../shapes/window';
import { elements, formatShape, type Shape } from '../../../tensor/shape';
import type { Attrs } from '../../op';

/** Channels are counted within one group. */
export interface ConvGeometry {
  readonly batch: number;
  readonly groups: number;
  readonly inChannels: number;
  readonly outChannels: number;
  readonly height: number;
  readonly width: number;
  readonly outHeight: number;
  readonly outWidth: number;
  readonly kernelHeight: number;
  readonly kernelWidth: number;
  readonly strideY: number;
  readonly strideX: number;
  readonly padY: number;
  readonly padX: number;
  readonly dilationY: number;
  readonly dilationX: number;
}

export const refuse = (message: string, hint?: string): never => {
  throw new LockstepError('shape', message, hint);
};

/**
 * Reads an argument that torch takes as one number or one per dimension, as [y, x]; in one dimension y is `neutral`.
 */
export function pairOf(attrs: Attrs, name: string, fallback: number, rank = 2, neutral = fallback): [number, number] {
  const value = lookup(attrs, name) ?? fallback;
  const list = typeof value === 'number' ? Array.from({ length: rank }, () => value) : value;
  if (!Array.isArray(list) || list.length !== rank) {
    const got = Array.isArray(list) ? formatShape(list) : JSON.stringify(list);
    refuse(
      `expected ${name} to be a single integer value or a list of ${rank} values to match the convolution dimensions, but got ${name}=${got}`,
    );
  }
  const numbers = list as readonly number[];
  if (!numbers.every(Number.isInteger)) refuse(`${name} must be made of integers, but got ${formatShape(numbers)}`);
  return rank === 1 ? [neutral, at(numbers, 0)] : [at(numbers, 0), at(numbers, 1)];
}

export const groupsOf = (attrs: Attrs): number => (attrs.groups === undefined ? 1 : Number(attrs.groups));

/** Geometry of a convolution of x [N, C, (H,) W] with weight [O, C / groups, (KH,) KW], and of its two gradients. */
export function convGeometry(x: Shape, weight: Shape, attrs: Attrs): ConvGeometry {
  const rank = weight.length - 2;
  const sizes = x.slice(x.length - rank);
  const [height, width] = rank === 1 ? [1, at(sizes, 0)] : [at(sizes, 0), at(sizes, 1)];
  const [kernelHeight, kernelWidth] = rank === 1 ? [1, at(weight, 2)] : [at(weight, 2), at(weight, 3)];
  const groups = groupsOf(attrs);
  const [strideY, strideX] = pairOf(attrs, 'stride', 1, rank);
  const [dilationY, dilationX] = pairOf(attrs, 'dilation', 1, rank);
  const spanY = spanOf(kernelHeight, dilationY);
  const spanX = spanOf(kernelWidth, dilationX);
  const base = { batch: x.length === rank + 2 ? at(x, 0) : 1, groups, height, width, kernelHeight, kernelWidth };
  const rest = { strideY, strideX, dilationY, dilationX };
  const channels = { inChannels: at(weight, 1), outChannels: at(weight, 0) / groups };
  if (attrs.padding === 'same') {
    if (strideY !== 1 || strideX !== 1) refuse("padding='same' is not supported for strided convolutions");
    // If the total is odd, torch pads one more on the right and at the bottom.
    const pads = { padY: Math.floor((spanY - 1) / 2), padX: Math.floor((spanX - 1) / 2) };
    return { ...base, ...channels, ...rest, ...pads, outHeight: height, outWidth: width };
  }
  const [padY, padX] = attrs.padding === 'valid' ? [0, 0] : pairOf(attrs, 'padding', 0, rank, 0);
  const outHeight = places(height + 2 * padY, spanY, strideY);
  const outWidth = places(width + 2 * padX, spanX, strideX);
  return { ...base, ...channels, ...rest, padY, padX, outHeight, outWidth };
}

/** Whether the convolution has its own kernels: 3 x 3, stride and dilation 1. */
export const isPlain3x3 = (g: ConvGeometry): boolean =>
  g.kernelHeight === 3 && g.kernelWidth === 3 && [g.strideY, g.strideX, g.dilationY, g.dilationX].every((n) => n === 1);

/** Refuses arguments that no convolution accepts, in torch's order of checks. */
export function checkArguments(attrs: Attrs, rank: number): void {
  if (typeof attrs.padding !== 'string' && pairOf(attrs, 'padding', 0, rank, 0).some((p) => p < 0))
    refuse('negative padding is not supported');
  if (typeof attrs.padding === 'string' && attrs.padding !== 'same' && attrs.padding !== 'valid')
    refuse(`Invalid padding string: '${attrs.padding}'`, "padding is a number, a list of numbers, 'same' or 'valid'.");
  if (pairOf(attrs, 'stride', 1, rank).some((s) => s <= 0)) refuse('non-positive stride is not supported');
  if (pairOf(attrs, 'dilation', 1, rank).some((d) => d <= 0)) refuse('non-positive dilation is not supported');
  const groups = groupsOf(attrs);
  if (!Number.isInteger(groups) || groups <= 0) refuse('non-positive groups is not supported');
}

export function checkNotEmpty(x: Shape, name: string): void {
  if (elements(x) === 0)
    refuse(`${name}: the input is empty, its size is ${formatShape(x)}`, 'A batch holds at least one sample.');
}

/** Channels that input, weight and bias must agree on. */
export function checkConv(rank: 1 | 2, x: Shape, weight: Shape, bias: Shape | undefined, attrs: Attrs) {
  const name = `conv${rank}d`;
  if (x.length !== rank + 1 && x.length !== rank + 2) {
    const [single, batched] = [rank + 1, rank + 2];
    refuse(
      `Expected ${single}D (unbatched) or ${batched}D (batched) input to ${name}, but got input of size: ${formatShape(x)}`,
    );
  }
  if (weight.length !== rank + 2)
    refuse(
      `Expected ${rank + 2}-dimensional weight for ${name}, but got weight of size ${formatShape(weight)} instead`,
    );
  checkArguments(attrs, rank);
  checkNotEmpty(x, name);
  const groups = groupsOf(attrs);
  const [outChannels = 0, inChannels = 0] = weight;
  const given = `Given groups=${groups}`;
  if (outChannels < groups)
    refuse(
      `${given}, expected weight to be at least ${groups} at dimension 0, but got weight of size ${formatShape(weight)} instead`,
    );
  if (outChannels % groups !== 0)
    refuse(
      `${given}, expected weight to be divisible by ${groups} at dimension 0, but got weight of size [${formatShape(weight)}] instead`,
    );
  const channels = at(x, x.length - rank - 1);
  if (channels !== inChannels * groups)
    refuse(
      `${given}, weight of size ${formatShape(weight)}, expected input${formatShape(x)} to have ${inChannels * groups} channels, but got ${channels} channels instead`,
    );
  if (bias && (bias.length !== 1 || bias[0] !== outChannels))
    refuse(
      `Given weight of size ${formatShape(weight)}, expected bias to be 1-dimensional with ${outChannels} elements, but got bias of size ${formatShape(bias)} instead`,
    );
  const g = convGeometry(x, weight, attrs);
  if (g.outHeight >= 1 && g.outWidth >= 1) return g;
  const sizes = (h: number, w: number) => (rank === 1 ? `(${w})` : `(${h} x ${w})`);
  const padded = sizes(g.height + 2 * g.padY, g.width + 2 * g.padX);
  const kernel = sizes(g.dilationY * (g.kernelHeight - 1) + 1, g.dilationX * (g.kernelWidth - 1) + 1);
  return refuse(
    `Calculated padded input size per channel: ${padded}. Kernel size: ${kernel}. Kernel size can't be greater than actual input size`,
  );
}

/** [N, C, ...sizes], or [C, ...sizes] if the other tensor has no batch. */
export const shapeLike = (other: Shape, channels: number, sizes: Shape): Shape =>
  other.length === sizes.length + 2 ? [at(other, 0), channels, ...sizes] : [channels, ...sizes];

export const outSizes = (g: ConvGeometry, rank: number): Shape =>
  rank === 1 ? [g.outWidth] : [g.outHeight, g.outWidth];
