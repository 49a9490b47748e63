// optim/clip-grad-norm for gradients in bfloat16: torch computes the factor in bfloat16, too.
// g <- g * min(1, max_norm * (1 / (norm + 1e-6))), each operation of the factor rounded
//
// The product is rounded by a launch of its own. LANES invocations take one block of the table, as in
// optim/clip-grad-norm.wgsl.

struct Params {
  max_norm: f32,
}

struct Block {
  norm: u32,
  gradient: u32,
  count: u32,
  extra: u32,
}

override LANES: u32 = 64u;

@group(0) @binding(0) var<storage, read> norm: array<f32>;
@group(0) @binding(1) var<storage, read_write> gradient: array<vec4<f32>>;
@group(1) @binding(0) var<uniform> params: Params;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

fn nearest(value: f32) -> f32 { // of bfloat16, ties to even; a NaN stays one
  let bits = bitcast<u32>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) { return bitcast<f32>((bits & 0x80000000u) | 0x7fc00000u); }
  return bitcast<f32>((bits + 0x7fffu + ((bits >> 16u) & 1u)) & 0xffff0000u);
}

// By its bits: a driver may turn a comparison into max(), which may swallow NaN.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

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
  let wanted = nearest(params.max_norm * nearest(1.0 / nearest(norm[block.norm] + 1e-6)));
  // A NaN stays, as in torch.clamp.
  let factor = select(min(wanted, 1.0), wanted, is_nan(wanted));
  for (var i = lane % LANES; i < (block.count + 3u) / 4u; i += LANES) {
    gradient[block.gradient / 4u + i] *= factor;
  }
}
