// tanh of four numbers, as helpers/tanh-accurate.

fn tanh_accurate(v: vec4f) -> vec4f {
  let s = v * v;
  let near = v * (1.0 + s * (-0.33333334 + s * (0.13333334 + s * (-0.05396825 + s * 0.021869488))));
  let t = 1.0 - 2.0 / (exp(2.0 * min(abs(v), vec4f(9.0))) + 1.0);
  return select(select(t, -t, v < vec4f()), near, s < vec4f(0.09));
}
