// torch.optim.Adam and AdamW (DECOUPLED) on bfloat16: every operation rounds.
// d <- g + weightDecay * p (maximize: -g), or p <- p * decay      m <- m + (1 - beta1) * (d - m)
// v <- beta2 * v, then + (1 - beta2) * d * d      p <- p - stepSize * m / (sqrt(v) / rootOfCorrection2 + eps)
//
// All parameters of a group in one dispatch; LANES invocations take one block of the
// table, as in optim/adam.wgsl, which says where the scalars lie. Same as optim/in-bfloat16.ts.

struct Block {
  scalars: u32,
  gradient: u32,
  parameter: u32,
  expAvg: u32,
  expAvgSq: u32,
  count: u32,
  extra: u32,
}

override DECOUPLED: bool = false;
override LANES: u32 = 64u;

@group(0) @binding(0) var<storage, read> scalars: array<f32>;
@group(0) @binding(1) var<storage, read> gradient: array<vec2i>;
@group(0) @binding(2) var<storage, read_write> parameter: array<vec2i>;
@group(0) @binding(3) var<storage, read_write> expAvg: array<vec2i>;
@group(0) @binding(4) var<storage, read_write> expAvgSq: array<vec2i>;
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
  let coupled = rounded1(select(scalars[s + 1u], 0.0, DECOUPLED));
  let shrink = select(1.0, scalars[s + 10u], DECOUPLED);
  let oneMinus1 = scalars[s + 3u];
  let beta2 = scalars[s + 4u];
  let oneMinus2 = scalars[s + 5u];
  let stepSize = scalars[s + 6u];
  let root = scalars[s + 7u];
  let eps = rounded1(scalars[s + 8u]);
  let direction = select(1.0, -1.0, scalars[s + 15u] == 1.0);
  for (var i = lane % LANES; i < (block.count + 1u) / 2u; i += LANES) {
    let p = rounded4(widened(parameter[block.parameter / 2u + i]) * shrink);
    let d = rounded4(direction * widened(gradient[block.gradient / 2u + i]) + coupled * p);
    let old = widened(expAvg[block.expAvg / 2u + i]);
    let m = rounded4(old + oneMinus1 * (d - old));
    let v = rounded4(rounded4(beta2 * widened(expAvgSq[block.expAvgSq / 2u + i])) + oneMinus2 * d * d);
    expAvg[block.expAvg / 2u + i] = narrowed(m);
    expAvgSq[block.expAvgSq / 2u + i] = narrowed(v);
    let denominator = rounded4(rounded4(rounded4(sqrt(v)) / root) + eps);
    parameter[block.parameter / 2u + i] = narrowed(rounded4(p - stepSize * m / denominator));
  }
}
