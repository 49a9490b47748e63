/**
 * The smallest change that float32 knows: every number replaced by the next larger one. Where the control run
 * (control-run.ts) starts.
 */
export function oneUlpAway(values: Float32Array): Float32Array<ArrayBuffer> {
  const next = Float32Array.from(values);
  const bits = new Int32Array(next.buffer);
  next.forEach((value, i) => {
    // Bits of floats of one sign are in the order of their magnitudes.
    if (value === 0) bits[i] = 1;
    else if (Number.isFinite(value)) bits[i] = (bits[i] ?? 0) + (value > 0 ? 1 : -1);
  });
  return next;
}
