// wrong = 0, or 1 + a half whose conversion is not exact. Tries to_half and to_float of this device: each half becomes
// float32 and a half again, and the float32 numbers at and next to the middle between two halves are rounded, and so
// are numbers that overflow or become 0. WGSL leaves the rounding to f16 open and lets small halves become 0, so
// runtime/webgpu/float16.ts runs this kernel with WGSL's f16 before a run in float16. One invocation per half.

override BRAIN: u32 = 0u;

struct Params {
  n: u32,
  wrong_stride: u32,
}

@group(0) @binding(0) var<storage, read_write> wrong: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

fn shifted(value: u32, shift: u32) -> u32 { // value / 2^shift, to nearest even
  let whole = value >> shift;
  let rest = value - (whole << shift);
  let middle = 1u << (shift - 1u);
  return whole + select(0u, 1u, rest > middle || (rest == middle && (whole & 1u) == 1u));
}

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

fn to_float(half: u32) -> u32 {
  if (BRAIN == 1u) { return half << 16u; }
  let sign = (half & 0x8000u) << 16u;
  let size = half & 0x7fffu;
  if (size >= 0x7c00u) { return sign | 0x7f800000u | ((size & 0x3ffu) << 13u); }
  if (size >= 0x400u) { return sign | ((size << 13u) + 0x38000000u); }
  return sign | bitcast<u32>(f32(size) * 0x1p-24f);
}

// As to_float does for float16, in whole numbers.
fn exact(half: u32) -> u32 {
  let sign = (half & 0x8000u) << 16u;
  let size = half & 0x7fffu;
  if (size >= 0x7c00u) { return sign | 0x7f800000u | ((size & 0x3ffu) << 13u); }
  if (size >= 0x400u) { return sign | ((size << 13u) + 0x38000000u); }
  return sign | bitcast<u32>(f32(size) * 0x1p-24f);
}

fn is_exact(half: u32) -> bool {
  let sign = half & 0x8000u;
  let size = half & 0x7fffu;
  let float = exact(half);
  if (to_float(half) != float) { return false; }
  if (size > 0x7c00u) { return to_half(float) == (sign | 0x7e00u); }
  if (to_half(float) != half || to_float(to_half(float)) != float) { return false; }
  if (to_half((sign << 16u) | (size * 0x6600u)) != sign) { return false; } // below 2^-25
  if (to_half((sign << 16u) | (0x477ff000u + size * 0x7000u)) != (sign | 0x7c00u)) { return false; } // 65520 and more
  if (size == 0x7c00u) { return true; }
  let next = select(exact(half + 1u), (sign << 16u) | 0x47800000u, size == 0x7bffu);
  let middle = bitcast<u32>(0.5 * bitcast<f32>(float) + 0.5 * bitcast<f32>(next));
  return to_half(middle - 1u) == half && to_half(middle) == half + (half & 1u) && to_half(middle + 1u) == half + 1u;
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let half = id.y * 2097152u + id.x;
  if (half >= params.n) { return; }
  if (!is_exact(half)) { wrong[id.z * params.wrong_stride] = i32(half + 1u); }
}
