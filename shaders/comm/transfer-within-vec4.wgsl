// comm/transfer-within, for long slices: where both sides lie alike to whole vectors of four, those are moved as such,
// and only what is before the first and after the last is moved one by one. Same bits. Stands for
// torch.distributed.send/recv and the rounds of all_reduce. LANES invocations take a block; `extra` of a block is where
// its source starts, equal to its destination modulo 4. The tensors are declared as bits, so that a copy keeps class
// indices and every NaN as they are.

// JOIN: 0 put; of float32 1 add, 2 multiply, 3 min, 4 max; 5 and, 6 or, 7 xor; of int32 8 add, 9 multiply, 10 min, 11
// max. Own value first. min and max compare bits: -0 comes before +0, and a NaN on either side gives NaN.
// runtime/cpu/join.ts says the same.
override JOIN: u32 = 0u;
override LANES: u32 = 64u;

struct Block {
  destination_at: u32,
  count: u32,
  extra: u32,
}

@group(0) @binding(0) var<storage, read_write> memory: array<vec4<i32>>;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

fn is_nan(bits: i32) -> bool { return (bits & 0x7fffffff) > 0x7f800000; }
fn ordered(bits: i32) -> i32 { return bits ^ ((bits >> 31u) & 0x7fffffff); }

fn joined(own: i32, received: i32) -> i32 {
  if ((JOIN == 3u || JOIN == 4u) && (is_nan(own) || is_nan(received))) { return 0x7fc00000; }
  switch (JOIN) {
    case 1u: { return bitcast<i32>(bitcast<f32>(own) + bitcast<f32>(received)); }
    case 2u: { return bitcast<i32>(bitcast<f32>(own) * bitcast<f32>(received)); }
    case 3u: { return select(own, received, ordered(received) < ordered(own)); }
    case 4u: { return select(received, own, ordered(received) < ordered(own)); }
    case 5u: { return own & received; }
    case 6u: { return own | received; }
    case 7u: { return own ^ received; }
    case 8u: { return own + received; }
    case 9u: { return own * received; }
    case 10u: { return min(own, received); }
    case 11u: { return max(own, received); }
    default: { return received; }
  }
}

fn joined4(own: vec4<i32>, received: vec4<i32>) -> vec4<i32> {
  if (JOIN == 1u) { return bitcast<vec4<i32>>(bitcast<vec4f>(own) + bitcast<vec4f>(received)); }
  return vec4<i32>(joined(own.x, received.x), joined(own.y, received.y), joined(own.z, received.z),
    joined(own.w, received.w));
}

fn move_one(source_start: u32, to: u32) {
  let received = memory[source_start / 4u][source_start % 4u];
  if (JOIN == 0u) { memory[to / 4u][to % 4u] = received; }
  else { memory[to / 4u][to % 4u] = joined(memory[to / 4u][to % 4u], received); }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>) {
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
    if (JOIN == 0u) { memory[to / 4u] = received; } else { memory[to / 4u] = joined4(memory[to / 4u], received); }
  }
  for (var to = start + lane; to < first; to += LANES) { move_one(source_start + to - start, to); }
  for (var to = last + lane; to < end; to += LANES) { move_one(source_start + to - start, to); }
}
