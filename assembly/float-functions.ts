/** The functions of src/graph/float-functions.ts, with the same bits, of four floats at a time. */
import { plus } from './lanes';

const LOG2_E: f32 = 1.4426950408889634;
const LN2_HIGH: f32 = 0.693359375;
const LN2_LOW: f32 = -2.1219444e-4;
const WHOLE: f32 = 12582912;
const LEAST: f32 = -87;
const FAR: f32 = 5.6;

// @ts-ignore: decorator
@inline
function four(x: f32): v128 {
  return f32x4.splat(x);
}

/** e^x of four numbers up to 0; 0 below -87. */
// @ts-ignore: decorator
@inline
export function expOfNegative(x: v128): v128 {
  const shifted = f32x4.add(f32x4.mul(x, four(LOG2_E)), four(WHOLE));
  const k = f32x4.sub(shifted, four(WHOLE));
  const r = f32x4.sub(f32x4.sub(x, f32x4.mul(k, four(LN2_HIGH))), f32x4.mul(k, four(LN2_LOW)));
  let p = plus(four(0.008368896320462227), r, four(0.0013814150588586926));
  p = plus(four(0.04166840761899948), r, p);
  p = plus(four(0.1666651964187622), r, p);
  p = plus(four(0.4999999403953552), r, p);
  const y = f32x4.add(four(1), plus(r, f32x4.mul(r, r), p));
  // The lowest bits of `shifted` are k.
  const power = i32x4.add(i32x4.shl(shifted, 23), four(1));
  return v128.andnot(f32x4.mul(y, power), f32x4.lt(x, four(LEAST)));
}

/** The distribution function of the normal distribution. */
// @ts-ignore: decorator
@inline
export function normalCdf(x: v128): v128 {
  // NaN stays.
  const near = f32x4.pmax(f32x4.pmin(x, four(FAR)), four(-FAR));
  const z = f32x4.mul(near, near);
  let n = plus(four(-2.1993571408529533e-8), z, four(1.0800071947869583e-10));
  n = plus(four(3.361227300047176e-6), z, n);
  n = plus(four(0.00018245933461003006), z, n);
  n = plus(four(0.004587532486766577), z, n);
  n = plus(four(0.03711237385869026), z, n);
  n = plus(four(0.39894211292266846), z, n);
  let d = plus(four(0.0019014482386410236), z, four(6.624253728659824e-5));
  d = plus(four(0.029785869643092155), z, d);
  d = plus(four(0.259691059589386), z, d);
  d = plus(four(1), z, d);
  const above = f32x4.div(f32x4.mul(near, n), d);
  return f32x4.add(four(0.5), f32x4.pmax(f32x4.pmin(above, four(0.5)), four(-0.5)));
}

/** 1 / (1 + e^-x) */
// @ts-ignore: decorator
@inline
export function sigmoid(x: v128): v128 {
  const e = expOfNegative(v128.or(x, four(-0.0)));
  const below = f32x4.lt(x, four(0));
  return f32x4.div(v128.bitselect(e, four(1), below), f32x4.add(four(1), e));
}
