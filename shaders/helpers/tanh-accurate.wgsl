// tanh with an error of a few ulp: a series near 0, where 1 - 2 / (e^2x + 1) would lose digits.

fn tanh_accurate(v: f32) -> f32 {
  let q = v * v;
  if (q < 0.09) { return v * (1.0 + q * (-0.33333334 + q * (0.13333334 + q * (-0.05396825 + q * 0.021869488)))); }
  let t = 1.0 - 2.0 / (exp(2.0 * min(abs(v), 9.0)) + 1.0);
  return select(t, -t, v < 0.0);
}
