// comm/transfer-within, for long slices: where both sides lie alike to whole vectors of four, those are moved as such, and only what stands before the first and
// after the last is moved one by one. Same bits. Stands for torch.distributed.send/recv and the rounds of all_reduce.
// LANES invocations take a block; `extra` of a block is where its source starts, equal to its destination modulo 4.
// The tensors are declared as bits, so that a copy keeps class indices and every NaN as they are.

override ADD: u32 = 0u;
override LANES: u32 = 64u;

struct Block {
  destination_at: u32,
  count: u32,
  extra: u32,
}

@group(0) @binding(0) var<storage, read_write> memory: array<vec4<i32>>;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

fn move_one(source_start: u32, to: u32) {
  let received = memory[source_start / 4u][source_start % 4u];
  if (ADD == 1u) {
    memory[to / 4u][to % 4u] = bitcast<i32>(bitcast<f32>(memory[to / 4u][to % 4u]) + bitcast<f32>(received));
  } else {
    memory[to / 4u][to % 4u] = received;
  }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + local.x / LANES;
  if (index >= arrayLength(&blocks)) { return; }
  let block = blocks[index];
  let lane = local.x % LANES;
  let source_start = block.extra;
  let start = block.destination_at;
  let end = start + block.count;
  let first = min(end, (start + 3u) / 4u * 4u);
  let last = max(first, end / 4u * 4u);
  for (var to = first + lane * 4u; to < last; to += LANES * 4u) {
    let received = memory[(source_start + to - start) / 4u];
    if (ADD == 1u) {
      memory[to / 4u] = bitcast<vec4<i32>>(bitcast<vec4f>(memory[to / 4u]) + bitcast<vec4f>(received));
    } else {
      memory[to / 4u] = received;
    }
  }
  for (var to = start + lane; to < first; to += LANES) { move_one(source_start + to - start, to); }
  for (var to = last + lane; to < end; to += LANES) { move_one(source_start + to - start, to); }
}
