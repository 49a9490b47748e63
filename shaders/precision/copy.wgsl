// Halves, two to a word (element 2i in the low bits of word i), from one stretch to another: `n` elements to `to`, of
// runs of `chunk` elements that begin at `start` and then every `part` elements. The other half of the first and of
// the last word stays. FLOATS 1: the source is float32. FLOATS 1 or SCALED 1: an element is multiplied by `scale` in
// float32 and rounded once, to nearest even. One invocation per word. Copies parameters and gradients of a unit of
// fully_shard or of a bucket of DDP, so that messages have half the bytes.

override FLOATS: u32 = 0u;
override SCALED: u32 = 0u;
override BRAIN: u32 = 0u;

struct Params {
  n: u32,
  to: u32,
  start: u32,
  chunk: u32,
  part: u32,
  scale: f32,
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

fn half_at(origin: u32, i: u32) -> u32 {
  if (FLOATS == 1u) { return to_half(bitcast<u32>(bitcast<f32>(source[origin + i]) * params.scale)); }
  let half = (bitcast<u32>(source[origin + (i >> 1u)]) >> (16u * (i & 1u))) & 0xffffu;
  if (SCALED == 0u) { return half; }
  return to_half(bitcast<u32>(bitcast<f32>(to_float(half)) * params.scale));
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let word = (params.to >> 1u) + id.y * 2097152u + id.x;
  if (2u * word >= params.to + params.n) { return; }
  let origin = id.z * params.source_stride;
  let own = id.z * params.destination_stride + word;
  var bits = bitcast<u32>(destination[own]);
  for (var k = 0u; k < 2u; k++) {
    let i = 2u * word + k;
    if (i < params.to || i >= params.to + params.n) { continue; }
    let element = i - params.to;
    let chunk = element / params.chunk;
    let half = half_at(origin, params.start + chunk * params.part + element - chunk * params.chunk);
    bits = (bits & ~(0xffffu << (16u * k))) | (half << (16u * k));
  }
  destination[own] = bitcast<i32>(bits);
}
