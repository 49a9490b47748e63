// The bits of a float16, or of a bfloat16 where BRAIN is 1, to those of the same number in float32.

fn to_float(half: u32) -> u32 {
  if (BRAIN == 1u) { return half << 16u; }
  let sign = (half & 0x8000u) << 16u;
  let size = half & 0x7fffu;
  if (size >= 0x7c00u) { return sign | 0x7f800000u | ((size & 0x3ffu) << 13u); }
  if (size >= 0x400u) { return sign | ((size << 13u) + 0x38000000u); }
  return sign | bitcast<u32>(f32(size) * 0x1p-24f);
}
