// Halves two to a 32-bit word: float16 (BRAIN = 0) or bfloat16 (BRAIN = 1), element 2i in the low bits of word i. MODE
// 0: target = half(source) / divisor, as tensor.to(torch.float16).div_(world_size); MODE 1: target[start + i] +=
// source[i], as all_reduce sums a half tensor; MODE 2: target = float(source), as bucket.copy_(half tensor). Each
// result is rounded once, to nearest even; float16 overflows to inf and has denormals. Conversions keep bfloat16's
// denormals, sums and quotients take them for 0. `length`: elements of the float tensor; `count`: words. One invocation
// per word. Same as tensor/half-bits.ts.

override MODE: u32 = 0u;
override BRAIN: u32 = 0u;

struct Params {
  count: u32,
  length: u32,
  start: u32,
  divisor: u32,
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

fn flushed(half: u32) -> u32 {
  return select(half, half & 0x8000u, BRAIN == 1u && (half & 0x7fffu) < 0x80u);
}

// In whole numbers: a GPU's division is not exact. The last bit of the quotient tells of a remainder.
fn divided(given: u32) -> u32 {
  if (params.divisor == 1u) { return given; }
  let half = flushed(given);
  let digits = select(10u, 7u, BRAIN == 1u);
  let most = select(0x7c00u, 0x7f80u, BRAIN == 1u);
  let size = half & 0x7fffu;
  if (size >= most || size == 0u) { return half; }
  let exponent = size >> digits;
  let fraction = size & ((1u << digits) - 1u);
  let value = select(fraction, fraction | (1u << digits), exponent > 0u) << 14u;
  let quotient = value / params.divisor;
  let exact = quotient | select(0u, 1u, quotient * params.divisor != value);
  let scale = i32(max(exponent, 1u)) - i32(digits) - 14 - select(15, 127, BRAIN == 1u);
  let bits = bitcast<u32>(f32(exact));
  let result = i32(bits >> 23u) + scale;
  let float = select(0u, (u32(result) << 23u) | (bits & 0x7fffffu), result > 0);
  return (half & 0x8000u) | flushed(to_half(float));
}

fn sum(a: u32, b: u32) -> u32 {
  return flushed(to_half(bitcast<u32>(bitcast<f32>(to_float(flushed(a))) + bitcast<f32>(to_float(flushed(b))))));
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.count) { return; }
  let origin = id.z * params.source_stride;
  let to = id.z * params.destination_stride;
  if (MODE == 0u) {
    let low = divided(to_half(bitcast<u32>(source[origin + 2u * i])));
    var high = 0u;
    if (2u * i + 1u < params.length) { high = divided(to_half(bitcast<u32>(source[origin + 2u * i + 1u]))); }
    destination[to + i] = bitcast<i32>(low | (high << 16u));
  } else if (MODE == 1u) {
    let own = bitcast<u32>(destination[to + params.start + i]);
    let received = bitcast<u32>(source[origin + i]);
    destination[to + params.start + i] =
      bitcast<i32>(sum(own & 0xffffu, received & 0xffffu) | (sum(own >> 16u, received >> 16u) << 16u));
  } else {
    let word = bitcast<u32>(source[origin + i]);
    destination[to + 2u * i] = bitcast<i32>(to_float(word & 0xffffu));
    if (2u * i + 1u < params.length) { destination[to + 2u * i + 1u] = bitcast<i32>(to_float(word >> 16u)); }
  }
}
