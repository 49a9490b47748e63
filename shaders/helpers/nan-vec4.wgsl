// Four NaN that no compiler can fold, made with a parameter.

fn nan() -> vec4f {
  return vec4f(bitcast<f32>(0x7fc00000u | params.n));
}
