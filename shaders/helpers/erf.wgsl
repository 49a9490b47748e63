// The error function of four numbers: a series below 1, and e^-x^2 times a polynomial above.

fn erf(v: vec4f) -> vec4f {
  let z = v * v;
  let top = 0.0052210534 + z * (-0.00084843966 + z * (0.00011268254 + z * -9.673591e-6));
  let near = v * (1.1283792 + z * (-0.37612638 + z * (0.11283783 + z * (-0.026865438 + z * top))));
  let t = 1.0 / (1.0 + 0.5 * abs(v));
  let high = -0.05688349 + t * (0.50449744 + t * (-0.4306118 + t * 0.10747069));
  let tail = 1.0 - exp(-z) * (-9.300193e-5 + t * (0.28396944 + t * (0.26584053 + t * (0.32577757 + t * high))));
  return select(select(tail, -tail, v < vec4f()), near, z < vec4f(1.0));
}
