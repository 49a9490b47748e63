// Every element of a stretch becomes `value`: the zeros that a bucket holds for a parameter without gradient, or for a
// rank that has run out of batches. PyTorch: Reducer::mark_variable_ready_dense, `bucket_view.zero_()`, and
// torch.zeros_like / torch.ones in DistributedDataParallel's join. Shapes: target = flat; LANES invocations take a
// block of at most 16 * LANES elements.

override LANES: u32 = 64u;

struct Params {
  value: f32,
}

struct Block {
  target_at: u32,
  count: u32,
  extra: u32,
}

@group(0) @binding(0) var<storage, read_write> memory: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + local.x / LANES;
  if (index >= arrayLength(&blocks)) { return; }
  let block = blocks[index];
  for (var i = local.x % LANES; i < block.count; i += LANES) {
    memory[block.target_at + i] = params.value;
  }
}
