/**
 * The smallest change in float32: replaces every number by the next larger one. The control run (control-run.ts) starts
 * from these.
 */
export function oneUlpAway(values: Float32Array): Float32Array<ArrayBuffer> {
  const next = Float32Array.from(values);
  const bits = new Int32Array(next.buffer);
  next.forEach((value, i) => {
    // The bits of floats with the same sign are ordered by magnitude.
    if (value === 0) bits[i] = 1;
    else if (Number.isFinite(value)) bits[i] = (bits[i] ?? 0) + (value > 0 ? 1 : -1);
  });
  return next;
}
