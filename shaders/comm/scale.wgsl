// memory[i] = memory[i] * scale, in place: what torch.distributed.ReduceOp.AVG does to each rank's values before they
// are summed (NCCL's ncclAvg multiplies by 1/worldSize first). Shapes: one stretch of a flat buffer per device; LANES
// invocations take a block of at most 16 * LANES elements.

override LANES: u32 = 64u;

struct Params {
  scale: f32,
}

struct Block {
  start: u32,
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
    memory[block.start + i] = memory[block.start + i] * params.scale;
  }
}
