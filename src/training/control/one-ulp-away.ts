/**
 * The smallest change in the model's type: replaces every number by the next larger one. The control run
 * (control-run.ts) starts from these numbers.
 */
import type { Config } from '../../protocol/config';

/** In a model of bfloat16, one unit of float32 would be rounded away. */
export function oneUlpAway(
  values: Float32Array,
  precision: Config['precision'] = 'float32',
): Float32Array<ArrayBuffer> {
  const next = Float32Array.from(values);
  const bits = new Int32Array(next.buffer);
  // The 16 high bits of a float32 are the bfloat16.
  const unit = precision === 'bf16' ? 1 << 16 : 1;
  next.forEach((value, i) => {
    // The bits of floats with the same sign are ordered by magnitude.
    if (value === 0) bits[i] = unit;
    else if (Number.isFinite(value)) bits[i] = (bits[i] ?? 0) + (value > 0 ? unit : -unit);
  });
  return next;
}
