// to_float with WGSL's f16, for devices that pass precision/check-halves. A NaN keeps its bits.

fn to_float(half: u32) -> u32 {
  if (BRAIN == 1u) { return half << 16u; }
  if ((half & 0x7fffu) > 0x7c00u) { return ((half & 0x8000u) << 16u) | 0x7f800000u | ((half & 0x3ffu) << 13u); }
  return bitcast<u32>(f32(bitcast<vec2<f16>>(half).x));
}
