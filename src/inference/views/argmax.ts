/**
 * The likeliest class of a row of logits, and its probabilities as in torch.softmax (sums in double precision). Used by
 * every view of a classifier.
 */

/**
 * The index of the largest of `width` values from `start` on, the first among equals; -1 (no answer) if a value is NaN.
 */
export function argmax(values: Float32Array, start: number, width: number): number {
  let best = 0;
  for (let c = 0; c < width; c++) {
    const value = values[start + c] as number;
    if (Number.isNaN(value)) return -1;
    if (value > (values[start + best] as number)) best = c;
  }
  return best;
}

/** softmax(values / temperature) over `width` values from `start` on. */
export function softmax(
  values: Float32Array,
  start: number,
  width: number,
  temperature = 1,
): Float32Array<ArrayBuffer> {
  const row = values.subarray(start, start + width);
  const largest = row.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const result = Float32Array.from(row, (value) => Math.exp((value - largest) / temperature));
  const sum = result.reduce((total, value) => total + value, 0);
  for (let i = 0; i < width; i++) result[i] = (result[i] as number) / sum;
  return result;
}
