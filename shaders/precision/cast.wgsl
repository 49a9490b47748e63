// target = source, rounded once to nearest even: tensor.to(torch.float16), or torch.bfloat16 where BRAIN is 1. The
// result is a float32 with the value of a half. One invocation per element. Same as roundTo in tensor/half-bits.ts.

override BRAIN: u32 = 0u;

struct Params {
  n: u32,
  source_stride: u32,
  destination_stride: u32,
}

@group(0) @binding(0) var<storage, read> source: array<i32>;
@group(0) @binding(1) var<storage, read_write> destination: array<i32>;
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

fn rounded(bits: u32) -> u32 { return to_float(to_half(bits)); }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  let value = bitcast<u32>(source[id.z * params.source_stride + i]);
  destination[id.z * params.destination_stride + i] = bitcast<i32>(rounded(value));
}
