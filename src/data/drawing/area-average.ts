/**
 * Scales a picture to `size` x `size`: each new pixel is the mean of the area that it covers. Non-square pictures are
 * stretched, as by Resize((s, s)).
 */

/** `plane` is height x width, row by row. Written to `target`, size * size values. */
export function areaAverage(plane: Float32Array, width: number, height: number, target: Float32Array, size: number) {
  const columns = covers(width, size);
  const rows = covers(height, size);
  const narrow = new Float64Array(height * size);
  for (let y = 0; y < height; y++) {
    for (const [x, { first, shares }] of columns.entries()) {
      let sum = 0;
      for (let i = 0; i < shares.length; i++) sum += (shares[i] as number) * (plane[y * width + first + i] as number);
      narrow[y * size + x] = sum;
    }
  }
  for (const [y, { first, shares }] of rows.entries()) {
    for (let x = 0; x < size; x++) {
      let sum = 0;
      for (let i = 0; i < shares.length; i++) sum += (shares[i] as number) * (narrow[(first + i) * size + x] as number);
      target[y * size + x] = sum;
    }
  }
}

/** Which old pixels each of `size` new ones covers, and the share of each in it. */
function covers(length: number, size: number): { readonly first: number; readonly shares: readonly number[] }[] {
  const step = length / size;
  return Array.from({ length: size }, (_, i) => {
    const from = (i * length) / size;
    const to = ((i + 1) * length) / size;
    const first = Math.floor(from);
    const last = Math.min(length, Math.ceil(to)) - 1;
    const shares = Array.from(
      { length: last - first + 1 },
      (__, k) => (Math.min(to, first + k + 1) - Math.max(from, first + k)) / step,
    );
    return { first, shares };
  });
}
