// The nearest value of bfloat16.

fn nearest(value: f32) -> f32 { // of bfloat16, ties to even; a NaN stays one
  let bits = bitcast<u32>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) { return bitcast<f32>((bits & 0x80000000u) | 0x7fc00000u); }
  return bitcast<f32>((bits + 0x7fffu + ((bits >> 16u) & 1u)) & 0xffff0000u);
}
