// torch.optim.SGD on bfloat16, without momentum: every operation rounds.
// d <- g + weightDecay * p   (maximize: -g)      p <- p - lr * d
//
// All parameters of a group in one dispatch; LANES invocations take one block of the
// table, as in optim/sgd.wgsl, which says where the scalars lie. Same as optim/in-bfloat16.ts.

struct Block {
  scalars: u32,
  gradient: u32,
  parameter: u32,
  count: u32,
  extra: u32,
}

override LANES: u32 = 64u;

@group(0) @binding(0) var<storage, read> scalars: array<f32>;
@group(0) @binding(1) var<storage, read> gradient: array<vec2i>;
@group(0) @binding(2) var<storage, read_write> parameter: array<vec2i>;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

// The four values of bfloat16 that two words hold.
fn widened(words: vec2i) -> vec4f {
  let bits = bitcast<vec4u>(words.xxyy);
  return bitcast<vec4f>(select(bits << vec4u(16u), bits & vec4u(0xffff0000u), vec4(false, true, false, true)));
}

// Four values of bfloat16 in two words: the first of each pair in the low bits.
fn narrowed(value: vec4f) -> vec2i {
  let bits = bitcast<vec4u>(value);
  return bitcast<vec2i>((bits.xz >> vec2u(16u)) | bits.yw);
}

// To the nearest value of bfloat16, ties to even.
fn rounded4(value: vec4f) -> vec4f {
  let bits = bitcast<vec4u>(value);
  let rounded = (bits + 0x7fffu + ((bits >> vec4u(16u)) & vec4u(1u))) & vec4u(0xffff0000u);
  let isNan = (bits & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
  return bitcast<vec4f>(select(rounded, (bits & vec4u(0x80000000u)) | vec4u(0x7fc00000u), isNan));
}

fn rounded1(value: f32) -> f32 { return rounded4(vec4f(value)).x; }

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
  let s = block.scalars;
  if (scalars[s + 14u] != 0.0) { return; } // GradScaler skips the step
  let lr = rounded1(scalars[s]);
  let weightDecay = rounded1(scalars[s + 1u]);
  let direction = select(1.0, -1.0, scalars[s + 15u] == 1.0);
  for (var i = lane % LANES; i < (block.count + 1u) / 2u; i += LANES) {
    let p = widened(parameter[block.parameter / 2u + i]);
    let d = rounded4(direction * widened(gradient[block.gradient / 2u + i]) + weightDecay * p);
    parameter[block.parameter / 2u + i] = narrowed(rounded4(p - lr * d));
  }
}
