// log(1 + e^x) of four numbers, without overflow.

fn log_one_plus_exp(v: vec4f) -> vec4f {
  let t = exp(-abs(v));
  let series = t * (1.0 + t * (-0.5 + t * (0.33333334 + t * (-0.25 + t * (0.2 + t * (-0.16666667 + t * 0.14285715))))));
  return max(v, vec4f()) + select(log(1.0 + t), series, t < vec4f(0.1));
}
