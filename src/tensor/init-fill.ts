/**
 * `torch.nn.init`: draws for a tensor of a given shape. Bounds and deviations are double precision, computed with
 * torch's formulas, because a shorter formula may give another double. The modules' defaults in `init.ts` use these.
 */
import { LockstepError } from '../base/errors';
import type { Generator } from './generator';
import { elements, formatShape, type Shape } from './shape';

export type FanMode = 'fan_in' | 'fan_out';
export type Nonlinearity = 'linear' | 'sigmoid' | 'tanh' | 'relu' | 'leaky_relu' | 'selu';

/** `nn.init.calculate_gain`; `slope` is the negative slope of leaky_relu. */
export function calculateGain(nonlinearity: Nonlinearity, slope = 0.01): number {
  switch (nonlinearity) {
    case 'linear':
    case 'sigmoid':
      return 1;
    case 'tanh':
      return 5 / 3;
    case 'relu':
      return Math.sqrt(2);
    case 'leaky_relu':
      return Math.sqrt(2 / (1 + slope ** 2));
    case 'selu':
      return 3 / 4;
  }
}

/** fan_in and fan_out of a stored weight: size(1) and size(0), each times the kernel. */
function fans(shape: Shape): { readonly fanIn: number; readonly fanOut: number } {
  const [out, into, ...kernel] = shape;
  if (out === undefined || into === undefined) {
    throw new LockstepError(
      'shape',
      `Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, got ${formatShape(shape)}`,
    );
  }
  return { fanIn: into * elements(kernel), fanOut: out * elements(kernel) };
}

/** The fan_in of a stored weight. */
export const fanInOf = (shape: Shape): number => fans(shape).fanIn;

export function xavierUniform(generator: Generator, shape: Shape, gain = 1): Float32Array<ArrayBuffer> {
  const { fanIn, fanOut } = fans(shape);
  const bound = Math.sqrt(3) * (gain * Math.sqrt(2 / (fanIn + fanOut)));
  return generator.uniform(elements(shape), -bound, bound);
}

export function xavierNormal(generator: Generator, shape: Shape, gain = 1): Float32Array<ArrayBuffer> {
  const { fanIn, fanOut } = fans(shape);
  return generator.normal(elements(shape), 0, gain * Math.sqrt(2 / (fanIn + fanOut)));
}

export interface KaimingOptions {
  readonly mode?: FanMode;
  readonly nonlinearity?: Nonlinearity;
  /** Negative slope, for leaky_relu. */
  readonly a?: number;
}

export function kaimingUniform(
  generator: Generator,
  shape: Shape,
  options: KaimingOptions = {},
): Float32Array<ArrayBuffer> {
  const bound = Math.sqrt(3) * kaimingDeviation(shape, options);
  return generator.uniform(elements(shape), -bound, bound);
}

export function kaimingNormal(
  generator: Generator,
  shape: Shape,
  options: KaimingOptions = {},
): Float32Array<ArrayBuffer> {
  return generator.normal(elements(shape), 0, kaimingDeviation(shape, options));
}

function kaimingDeviation(
  shape: Shape,
  { mode = 'fan_in', nonlinearity = 'leaky_relu', a = 0 }: KaimingOptions,
): number {
  const { fanIn, fanOut } = fans(shape);
  return calculateGain(nonlinearity, a) / Math.sqrt(mode === 'fan_in' ? fanIn : fanOut);
}
