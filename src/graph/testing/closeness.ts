/**
 * How far two tensors are apart, as a fraction of the largest magnitude of the expected one: the project's measure for
 * operators.
 */
export function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let scale = 0;
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    const [a, e] = [actual[i] ?? Number.NaN, expected[i] ?? Number.NaN];
    if (Object.is(a, e) || (Number.isNaN(a) && Number.isNaN(e))) continue;
    if (!Number.isFinite(e)) return Number.POSITIVE_INFINITY;
    scale = Math.max(scale, Math.abs(e));
    const distance = Math.abs(a - e);
    worst = Number.isNaN(distance) ? Number.POSITIVE_INFINITY : Math.max(worst, distance);
  }
  for (let i = 0; i < expected.length; i++)
    if (Number.isFinite(expected[i])) scale = Math.max(scale, Math.abs(expected[i] ?? 0));
  return worst === 0 ? 0 : worst / Math.max(scale, 1e-30);
}

/** Largest absolute difference; infinite where one is NaN or infinite and the other is not the same. */
export function distance(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    const [a, e] = [actual[i] ?? Number.NaN, expected[i] ?? Number.NaN];
    if (a === e || (Number.isNaN(a) && Number.isNaN(e))) continue;
    const apart = Math.abs(a - e);
    worst = Number.isNaN(apart) ? Number.POSITIVE_INFINITY : Math.max(worst, apart);
  }
  return worst;
}

/** The bar of the fixtures for operators: 1e-5 of the largest finite magnitude, and 1e-7. */
export function bar(expected: ArrayLike<number>): number {
  let scale = 0;
  for (let i = 0; i < expected.length; i++) {
    const e = Math.abs(expected[i] ?? 0);
    if (Number.isFinite(e)) scale = Math.max(scale, e);
  }
  return 1e-5 * scale + 1e-7;
}
