// g <- min(max(g, -clip_value), clip_value)
//
// torch.nn.utils.clip_grad_value_, over all gradients of a device in one dispatch; a NaN stays, as in torch.clamp.
// LANES invocations take one block of the table (at most 16 * LANES elements of one gradient), each 4 vectors of four
// with stride LANES; 64 / LANES blocks per workgroup. Every gradient starts at a multiple of 256 bytes, so the last
// vector may reach into padding, and nothing else.

struct Params {
  clip_value: f32,
}

struct Block {
  gradient: u32,
  count: u32,
  extra: u32,
}

override LANES: u32 = 64u;

@group(0) @binding(0) var<storage, read_write> gradient: array<vec4<f32>>;
@group(1) @binding(0) var<uniform> params: Params;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

// By its bits: a driver may turn a comparison into max(), which may swallow NaN.
fn is_nan(v: vec4f) -> vec4<bool> { return (bitcast<vec4u>(v) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u); }

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
  let most = vec4(params.clip_value);
  for (var i = lane % LANES; i < (block.count + 3u) / 4u; i += LANES) {
    let g = gradient[block.gradient / 4u + i];
    gradient[block.gradient / 4u + i] = select(clamp(g, -most, most), g, is_nan(g));
  }
}
