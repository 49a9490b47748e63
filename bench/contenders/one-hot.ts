/** Turns [n] classes into [n, classes] zeros and ones, for libraries whose losses need this. */
export function oneHot(values: ArrayLike<number>, classes: number): Float32Array<ArrayBuffer> {
  const result = new Float32Array(values.length * classes);
  for (let row = 0; row < values.length; row++) result[row * classes + (values[row] ?? 0)] = 1;
  return result;
}
