/** Stores the numbers of the drawing `sixteen-bits` in float32, bfloat16 and float16, as runs store theirs. */
import { at } from '../../base/invariant';
import { type HalfFormat, halvesOf } from '../../tensor/half-bits';
import { FORMATS, NUMBERS, type StoredNumber } from '../drawing/kinds/sixteen-bits';

const HALF: Readonly<Record<'bfloat16' | 'float16', HalfFormat>> = { bfloat16: 'bf16', float16: 'f16' };

export function storedIn(format: StoredNumber['format'], number: number): Pick<StoredNumber, 'bits' | 'value'> {
  const { exponent, fraction } = FORMATS[format];
  const written = (bits: number, value: number) => ({
    bits: bits.toString(2).padStart(1 + exponent + fraction, '0'),
    value: Number.isFinite(value) ? value : null,
  });
  if (format === 'float32') {
    const float = new Float32Array([number]);
    return written(at([...new Uint32Array(float.buffer)], 0), at([...float], 0));
  }
  const { toHalf, toFloat } = halvesOf(HALF[format]);
  const bits = toHalf(number);
  return written(bits, toFloat(bits));
}

export const storedNumbers = (): readonly StoredNumber[] =>
  NUMBERS.flatMap((number) =>
    (['float32', 'bfloat16', 'float16'] as const).map((format) => ({
      number,
      format,
      ...storedIn(format, Number(number)),
    })),
  );
