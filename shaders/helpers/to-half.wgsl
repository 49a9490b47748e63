// The bits of a float32 to those of the nearest float16, or bfloat16 where BRAIN is 1.

fn to_half(bits: u32) -> u32 {
  let sign = (bits >> 16u) & 0x8000u;
  let size = bits & 0x7fffffffu;
  if (BRAIN == 1u) {
    if (size > 0x7f800000u) { return sign | 0x7fc0u; }
    return sign | shifted(size, 16u);
  }
  if (size > 0x7f800000u) { return sign | 0x7e00u; }
  if (size >= 0x477ff000u) { return sign | 0x7c00u; } // 65520 and more
  if (size >= 0x38800000u) { return sign | shifted(size - 0x38000000u, 13u); }
  if (size < 0x33000000u) { return sign; }
  return sign | shifted((size & 0x7fffffu) | 0x800000u, 126u - (size >> 23u));
}
