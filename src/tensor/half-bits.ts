/**
 * float16 and bfloat16 as bits, in plain arithmetic: conversions from and to float32, the sum of two, and the quotient
 * by a whole number, each rounded once to nearest even as torch's Half and BFloat16 are (a sum or quotient in float32
 * that is then rounded has the same bits). float16 overflows to inf and has denormals. A conversion keeps bfloat16's
 * denormals, below 1e-38; sums and quotients treat them as 0, as a GPU may do with float32's. shaders/comm/halves.wgsl
 * does the same.
 */

export type HalfFormat = 'f16' | 'bf16';

/** The arithmetic of one format. A half is its 16 bits as a number. */
export interface Halves {
  /** float32 to half. */
  toHalf(value: number): number;
  /** Half to float32; exact. */
  toFloat(half: number): number;
  sum(a: number, b: number): number;
  quotient(half: number, divisor: number): number;
}

/** value / 2^shift, to nearest even. */
function shifted(value: number, shift: number): number {
  const whole = value >>> shift;
  const rest = value - (whole << shift);
  const middle = 1 << (shift - 1);
  return whole + (rest > middle || (rest === middle && (whole & 1) === 1) ? 1 : 0);
}

export function halvesOf(format: HalfFormat): Halves {
  const word = new Uint32Array(1);
  const float = new Float32Array(word.buffer);
  const bitsOf = (value: number): number => {
    float[0] = value;
    return word[0] as number;
  };
  const floatOf = (bits: number): number => {
    word[0] = bits;
    return float[0] as number;
  };

  function toHalf(value: number): number {
    const bits = bitsOf(value);
    const sign = (bits >>> 16) & 0x8000;
    const size = bits & 0x7fffffff;
    if (format === 'bf16') {
      if (size > 0x7f800000) return sign | 0x7fc0;
      return sign | shifted(size, 16);
    }
    if (size > 0x7f800000) return sign | 0x7e00;
    if (size >= 0x477ff000) return sign | 0x7c00;
    if (size >= 0x38800000) return sign | shifted(size - 0x38000000, 13);
    if (size < 0x33000000) return sign;
    return sign | shifted((size & 0x7fffff) | 0x800000, 126 - (size >>> 23));
  }

  function toFloat(half: number): number {
    if (format === 'bf16') return floatOf((half << 16) >>> 0);
    const sign = (half & 0x8000) << 16;
    const size = half & 0x7fff;
    if (size >= 0x7c00) return floatOf((sign | 0x7f800000 | ((size & 0x3ff) << 13)) >>> 0);
    if (size >= 0x400) return floatOf((sign | ((size << 13) + 0x38000000)) >>> 0);
    return ((sign === 0 ? 1 : -1) * size) / 2 ** 24;
  }

  const flushed = (half: number): number => (format === 'bf16' && (half & 0x7fff) < 0x80 ? half & 0x8000 : half);

  return {
    toHalf,
    toFloat,
    sum: (a, b) => flushed(toHalf(toFloat(flushed(a)) + toFloat(flushed(b)))),
    quotient: (half, divisor) => (divisor === 1 ? half : flushed(toHalf(toFloat(flushed(half)) / divisor))),
  };
}

/** The first `length` elements of a tensor that is stored two halves per word. */
export function floatsOfHalves(format: HalfFormat, words: Int32Array, length: number): Float32Array {
  const values = new Float32Array(length);
  if (format === 'f16') {
    const { toFloat } = halvesOf(format);
    for (let i = 0; i < length; i++) values[i] = toFloat(((words[i >> 1] as number) >>> ((i & 1) * 16)) & 0xffff);
    return values;
  }
  const bits = new Int32Array(values.buffer);
  for (let i = 0; i < length; i++)
    bits[i] = i & 1 ? (words[i >> 1] as number) & ~0xffff : (words[i >> 1] as number) << 16;
  return values;
}

/** Stores the elements of a tensor two per word, each rounded to the format; an unused half of the last word is 0. */
export function storeHalves(format: HalfFormat, values: ArrayLike<number>, words: Int32Array): void {
  const { toHalf } = halvesOf(format);
  for (let i = 0; i < words.length; i++)
    words[i] = toHalf(values[2 * i] as number) | (toHalf(values[2 * i + 1] ?? 0) << 16);
}

/** Rounds every element to the nearest value of the format. */
export function roundTo(format: HalfFormat, values: Float32Array): void {
  if (format === 'f16') {
    const { toHalf, toFloat } = halvesOf(format);
    for (let i = 0; i < values.length; i++) values[i] = toFloat(toHalf(values[i] as number));
    return;
  }
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < words.length; i++) {
    const bits = words[i] as number;
    if ((bits & 0x7fffffff) > 0x7f800000) words[i] = (bits & 0x80000000) | 0x7fc00000;
    else words[i] = (bits + 0x7fff + ((bits >>> 16) & 1)) & 0xffff0000;
  }
}

/** Rounds one number to the nearest value of the format. */
export function rounder(format: HalfFormat): (value: number) => number {
  const cell = new Float32Array(1);
  return (value) => {
    cell[0] = value;
    roundTo(format, cell);
    return cell[0] as number;
  };
}
