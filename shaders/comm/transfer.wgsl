// ADD = 0: destination[i] = source[i]; ADD = 1: destination[i] = destination[i] + source[i], own value first. One GPUDevice, two GPUBuffers.
// Stands for torch.distributed.send/recv and the rounds of all_reduce, as NCCL moves a slice over NVLink (and sums it).
// LANES invocations take a block of at most 16 * LANES elements; offsets in elements from the start of either buffer.
// The tensors are declared as bits, so that a copy keeps class indices and every NaN as they are.

override ADD: u32 = 0u;
override LANES: u32 = 64u;

struct Block {
  source_at: u32,
  destination_at: u32,
  count: u32,
  extra: u32,
}

@group(0) @binding(0) var<storage, read> source: array<i32>;
@group(0) @binding(1) var<storage, read_write> destination: array<i32>;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + local.x / LANES;
  if (index >= arrayLength(&blocks)) { return; }
  let block = blocks[index];
  for (var i = local.x % LANES; i < block.count; i += LANES) {
    let received = source[block.source_at + i];
    let at = block.destination_at + i;
    if (ADD == 1u) {
      destination[at] = bitcast<i32>(bitcast<f32>(destination[at]) + bitcast<f32>(received));
    } else {
      destination[at] = received;
    }
  }
}
