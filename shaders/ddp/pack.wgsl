// Copies gradients into the flat bucket and pre-divides them: bucket[i] = gradient[i] * scale, scale = 1/worldSize.
// PyTorch: Reducer::mark_variable_ready_dense, `bucket_view = grad * (1.0/div_factor)`, before the SUM all-reduce.
// Shapes: gradient = the pool of all gradients, bucket = flat; LANES invocations take a block of at most
// 16 * LANES elements of one gradient.

override LANES: u32 = 64u;

struct Params {
  scale: f32,
}

struct Block {
  gradient_at: u32,
  bucket_at: u32,
  count: u32,
  extra: u32,
}

@group(0) @binding(0) var<storage, read> gradient: array<f32>;
@group(0) @binding(1) var<storage, read_write> bucket: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + local.x / LANES;
  if (index >= arrayLength(&blocks)) { return; }
  let block = blocks[index];
  for (var i = local.x % LANES; i < block.count; i += LANES) {
    bucket[block.bucket_at + i] = gradient[block.gradient_at + i] * params.scale;
  }
}
