// optim/power-sums for gradients in bfloat16, two in each word:   sums[k] = sum of |g|^P over the elements 16k .. 16k +
// 15 of a gradient, the gradients one after the other;   P = 0: their greatest |g|
//
// LANES invocations take a block of words of one gradient, 8 neighbouring words at a time. Gradients start at multiples
// of 256 bytes; the unused half of an odd gradient's last word is 0. `start` is where the gradient begins (it does not
// advance with the blocks), `sums` where its sums begin.

struct Block {
  gradient: u32,
  start: u32,
  sums: u32,
  count: u32,
  extra: u32,
}

override LANES: u32 = 64u;
// norm_type; 0 is PyTorch's inf.
override P: f32 = 2.0;

@group(0) @binding(0) var<storage, read> gradient: array<vec2i>;
@group(0) @binding(1) var<storage, read> start: array<vec2i>;
@group(0) @binding(2) var<storage, read_write> sums: array<f32>;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

// The four values of bfloat16 that two words hold.
fn widened(words: vec2i) -> vec4f {
  let bits = bitcast<vec4u>(words.xxyy);
  return bitcast<vec4f>(select(bits << vec4u(16u), bits & vec4u(0xffff0000u), vec4(false, true, false, true)));
}

fn powers(g: vec4<f32>) -> f32 {
  if (P == 2.0) {
    return dot(g, g);
  }
  let size = abs(g);
  if (P == 0.0) {
    // As whole numbers: sizes have the same order, and a NaN is above them all.
    let bits = bitcast<vec4<u32>>(size);
    return bitcast<f32>(max(max(bits.x, bits.y), max(bits.z, bits.w)));
  }
  if (P == 1.0) {
    return size.x + size.y + size.z + size.w;
  }
  // Not every driver's pow() leaves 0, infinity and NaN as they are.
  let fixed = (size == vec4(0.0)) | (bitcast<vec4<u32>>(size) >= vec4(0x7f800000u));
  let power = select(pow(size, vec4(P)), size, fixed);
  return power.x + power.y + power.z + power.w;
}

fn joined(a: f32, b: f32) -> f32 {
  if (P == 0.0) {
    // As whole numbers: sizes have the same order, and a NaN is above them all.
    return bitcast<f32>(max(bitcast<u32>(a), bitcast<u32>(b)));
  }
  return a + b;
}

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + lane / LANES;
  if (index >= arrayLength(&blocks)) {
    return;
  }
  let block = blocks[index];
  for (var first = (lane % LANES) * 8u; first < block.count; first += LANES * 8u) {
    let begin = (block.gradient + first) / 2u;
    var total = 0.0;
    for (var k = 0u; k < 4u; k++) {
      // Words of the gradient in this pair; the words behind them belong to no gradient.
      let rest = i32(block.count - first) - i32(2u * k);
      if (rest <= 0) {
        break;
      }
      let words = select(vec2(0), gradient[begin + k], vec2(0, 1) < vec2(rest));
      total = joined(total, powers(widened(words)));
    }
    sums[block.sums + (block.gradient - block.start + first) / 8u] = total;
  }
}
