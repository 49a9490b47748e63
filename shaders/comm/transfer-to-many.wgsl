// comm/transfer from one GPUBuffer to up to six others: to_n[i] = source[i], where n is the target of the block. FSDP's
// all-gather is this: it copies the shards of a unit to the unit's whole parameters, each of which lies in a GPUBuffer
// of its own. LANES invocations take a block; offsets in elements from the start of either buffer. VECTORS = 1: all
// blocks begin and end at multiples of four, and whole vectors are moved. The tensors are declared as bits, so that a
// copy keeps every NaN as it is.
//
// Each of the TARGETS buffers has a loop of its own, and the loops of the other buffers end at once: a software adapter
// would run all cases of a switch.

override TARGETS: u32 = 6u;
override VECTORS: u32 = 0u;
override LANES: u32 = 64u;

struct Block {
  source_at: u32,
  target_at: u32,
  target_index: u32,
  count: u32,
  spare: u32,
}

@group(0) @binding(0) var<storage, read> source: array<vec4<i32>>;
@group(0) @binding(1) var<storage, read_write> to_0: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> to_1: array<vec4<i32>>;
@group(0) @binding(3) var<storage, read_write> to_2: array<vec4<i32>>;
@group(0) @binding(4) var<storage, read_write> to_3: array<vec4<i32>>;
@group(0) @binding(5) var<storage, read_write> to_4: array<vec4<i32>>;
@group(0) @binding(6) var<storage, read_write> to_5: array<vec4<i32>>;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

fn element(i: u32) -> i32 { return source[i / 4u][i % 4u]; }

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + local.x / LANES;
  if (index >= arrayLength(&blocks)) { return; }
  let block = blocks[index];
  let lane = local.x % LANES;
  let n = block.target_index;
  if (VECTORS == 1u) {
    let start = block.target_at / 4u;
    let end = start + block.count / 4u;
    // Added to a place in the target, it gives the place in the source; it may wrap around.
    let back = block.source_at / 4u - start;
    for (var i = start + lane; TARGETS > 0u && n == 0u && i < end; i += LANES) { to_0[i] = source[i + back]; }
    for (var i = start + lane; TARGETS > 1u && n == 1u && i < end; i += LANES) { to_1[i] = source[i + back]; }
    for (var i = start + lane; TARGETS > 2u && n == 2u && i < end; i += LANES) { to_2[i] = source[i + back]; }
    for (var i = start + lane; TARGETS > 3u && n == 3u && i < end; i += LANES) { to_3[i] = source[i + back]; }
    for (var i = start + lane; TARGETS > 4u && n == 4u && i < end; i += LANES) { to_4[i] = source[i + back]; }
    for (var i = start + lane; TARGETS > 5u && n == 5u && i < end; i += LANES) { to_5[i] = source[i + back]; }
    return;
  }
  let start = block.target_at + lane;
  let end = block.target_at + block.count;
  let back = block.source_at - block.target_at;
  for (var i = start; TARGETS > 0u && n == 0u && i < end; i += LANES) { to_0[i / 4u][i % 4u] = element(i + back); }
  for (var i = start; TARGETS > 1u && n == 1u && i < end; i += LANES) { to_1[i / 4u][i % 4u] = element(i + back); }
  for (var i = start; TARGETS > 2u && n == 2u && i < end; i += LANES) { to_2[i / 4u][i % 4u] = element(i + back); }
  for (var i = start; TARGETS > 3u && n == 3u && i < end; i += LANES) { to_3[i / 4u][i % 4u] = element(i + back); }
  for (var i = start; TARGETS > 4u && n == 4u && i < end; i += LANES) { to_4[i / 4u][i % 4u] = element(i + back); }
  for (var i = start; TARGETS > 5u && n == 5u && i < end; i += LANES) { to_5[i / 4u][i % 4u] = element(i + back); }
}
