// g <- g * min(1, max_norm * (1 / (norm + 1e-6)))
//
// Last part of torch.nn.utils.clip_grad_norm_, over all gradients of a device in one dispatch; as there, gradients are
// multiplied even where the factor is 1, and a norm that is not a number makes them all so. LANES invocations take one
// block of the table (at most 16 * LANES elements of one gradient), each 4 vectors of four with stride LANES; 64 /
// LANES blocks per workgroup. Every gradient starts at a multiple of 256 bytes, so the last vector may reach into
// padding, and nothing else.

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
  let wanted = params.max_norm * (1.0 / (norm[block.norm] + 1e-6));
  // A NaN stays, as in torch.clamp.
  let factor = select(min(wanted, 1.0), wanted, is_nan(wanted));
  for (var i = lane % LANES; i < (block.count + 3u) / 4u; i += LANES) {
    gradient[block.gradient / 4u + i] *= factor;
  }
}
