// destination[i] = source[i], or destination[i] = destination[i] <JOIN> source[i]. One GPUDevice, two GPUBuffers.
// Stands for torch.distributed.send/recv and the rounds of all_reduce, as NCCL moves a slice over NVLink (and sums it).
// LANES invocations take a block of at most 16 * LANES elements; offsets in elements from the start of either buffer.
// The tensors are declared as bits, so that a copy keeps class indices and every NaN as they are.

// JOIN: 0 put; of float32 1 add, 2 multiply, 3 min, 4 max; 5 and, 6 or, 7 xor; of int32 8 add, 9 multiply, 10 min, 11
// max. Own value first. min and max compare bits: -0 comes before +0, and a NaN on either side gives NaN.
// runtime/cpu/join.ts says the same.
override JOIN: u32 = 0u;
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

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + local.x / LANES;
  if (index >= arrayLength(&blocks)) { return; }
  let block = blocks[index];
  for (var i = local.x % LANES; i < block.count; i += LANES) {
    let received = source[block.source_at + i];
    let at = block.destination_at + i;
    if (JOIN == 0u) { destination[at] = received; } else { destination[at] = joined(destination[at], received); }
  }
}
