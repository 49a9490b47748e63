// e^x - 1 of four numbers: a series near 0.

fn expm1(v: vec4f) -> vec4f {
  let high = 0.041666668 + v * (0.008333334 + v * (0.0013888889 + v * 0.0001984127));
  return select(v * (1.0 + v * (0.5 + v * (0.16666667 + v * high))), exp(v) - 1.0, abs(v) > vec4f(0.3));
}
