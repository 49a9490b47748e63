/**
 * The exponential and the distribution function of the normal distribution in float32: every operation is rounded, so
 * assembly/float-functions.ts computes the same bits for four numbers at a time. Used by gelu, silu and attention.
 */
const f = Math.fround;

const LOG2_E = f(Math.LOG2E);
/** ln 2 in two parts. Multiples of the first part are exact up to 2^9. */
const LN2_HIGH = f(0.693359375);
const LN2_LOW = f(-2.1219444e-4);
/** Floats of this size are whole numbers, so adding and subtracting it rounds to a whole number. */
const WHOLE = 12_582_912;
/** e^x of smaller numbers is 0, because it would be nearly denormal. */
const LEAST = -87;
/** 2^(i - 126) */
const POWERS = new Float32Array(127).map((_, i) => 0.5 ** (126 - i));

// e^r = 1 + r + r^2 (E2 + r E3 + ...) for |r| up to ln(2) / 2, fitted to the smallest relative error.
const E2 = f(0.4999999403953552);
const E3 = f(0.1666651964187622);
const E4 = f(0.04166840761899948);
const E5 = f(0.008368896320462227);
const E6 = f(0.0013814150588586926);

/** e^x for x up to 0, within 1 ulp down to -87, and 0 below. NaN gives NaN. */
export function expOfNegative(x: number): number {
  if (x < LEAST) return 0;
  const k = f(f(f(x * LOG2_E) + WHOLE) - WHOLE);
  const r = f(f(x - f(k * LN2_HIGH)) - f(k * LN2_LOW));
  const p = f(E2 + f(r * f(E3 + f(r * f(E4 + f(r * f(E5 + f(r * E6))))))));
  const y = f(1 + f(r + f(f(r * r) * p)));
  return f(y * (POWERS[(k + 126) | 0] as number));
}

/** From here on the distribution function rounds to 0 or 1. */
const FAR = f(5.6);

// Phi(x) - 1/2 = x N(x^2) / D(x^2), fitted to the smallest absolute error.
const N0 = f(0.39894211292266846);
const N1 = f(0.03711237385869026);
const N2 = f(0.004587532486766577);
const N3 = f(0.00018245933461003006);
const N4 = f(3.361227300047176e-6);
const N5 = f(-2.1993571408529533e-8);
const N6 = f(1.0800071947869583e-10);
const D1 = f(0.259691059589386);
const D2 = f(0.029785869643092155);
const D3 = f(0.0019014482386410236);
const D4 = f(6.624253728659824e-5);

/** Phi(x) = (1 + erf(x / sqrt 2)) / 2, within 2^-22, at least 0 and at most 1. NaN gives NaN. */
export function normalCdf(x: number): number {
  const near = x > FAR ? FAR : x < -FAR ? -FAR : x;
  const z = f(near * near);
  const n = f(N0 + f(z * f(N1 + f(z * f(N2 + f(z * f(N3 + f(z * f(N4 + f(z * f(N5 + f(z * N6))))))))))));
  const d = f(1 + f(z * f(D1 + f(z * f(D2 + f(z * f(D3 + f(z * D4))))))));
  const above = f(f(near * n) / d);
  return f(0.5 + (above > 0.5 ? 0.5 : above < -0.5 ? -0.5 : above));
}

/** 1 / (1 + e^-x), within 2.5 ulp down to -87, and 0 below. */
export function sigmoid(x: number): number {
  const e = expOfNegative(-Math.abs(x));
  return f((x < 0 ? e : 1) / f(1 + e));
}
