// to_half with WGSL's f16, for devices that pass precision/check-halves. NaN is made here: WGSL may ignore it.

fn to_half(bits: u32) -> u32 {
  let sign = (bits >> 16u) & 0x8000u;
  let size = bits & 0x7fffffffu;
  if (size > 0x7f800000u) { return sign | select(0x7e00u, 0x7fc0u, BRAIN == 1u); }
  if (BRAIN == 1u) { return sign | shifted(size, 16u); }
  return bitcast<u32>(vec2<f16>(f16(bitcast<f32>(bits)), 0h));
}
