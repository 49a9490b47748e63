// The slope of GELU by tanh, for four numbers. Needs helpers/tanh-accurate-vec4.

fn gelu_tanh_slope(v: vec4f) -> vec4f {
  let square = v * v;
  let t = tanh_accurate(0.7978846 * (v + 0.044715 * (square * v)));
  return 0.5 * (1.0 + t) + (0.5 * v) * (1.0 - t * t) * (0.7978846 * (1.0 + 0.134145 * square));
}
