// comm/transfer where source and destination lie in one GPUBuffer (WebGPU forbids binding it twice when one binding is writable):
// ADD = 0: memory[to + i] = memory[from + i]; ADD = 1: memory[to + i] = memory[to + i] + memory[from + i], own value first.
// Stands for torch.distributed.send/recv and the rounds of all_reduce. Slices of one dispatch must not overlap.
// LANES invocations take a block of at most 16 * LANES elements; `extra` of a block is where its source starts.

override ADD: u32 = 0u;
override LANES: u32 = 64u;

struct Block {
  destination_at: u32,
  count: u32,
  extra: u32,
}

@group(0) @binding(0) var<storage, read_write> memory: array<i32>;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + local.x / LANES;
  if (index >= arrayLength(&blocks)) { return; }
  let block = blocks[index];
  for (var i = local.x % LANES; i < block.count; i += LANES) {
    let received = memory[block.extra + i];
    let at = block.destination_at + i;
    if (ADD == 1u) {
      memory[at] = bitcast<i32>(bitcast<f32>(memory[at]) + bitcast<f32>(received));
    } else {
      memory[at] = received;
    }
  }
}
