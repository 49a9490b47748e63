// comm/fold for sums that are not taken from the left alone: trees, halves and nodes add partial sums. The terms come
// in postfix order: each is put on a stack, and then so many times as JOINS says of it the two on top become their sum.
// The bits are those of the algorithm's rounds. For short buffers. A row of the table: TERMS offsets, TARGETS offsets,
// the count, a spare word. LANES invocations take a block; no other block touches what a block writes.

override TERMS: u32 = 1u;
override TARGETS: u32 = 1u;
override LANES: u32 = 64u;
const DEPTH = 8u;

struct Params {
  scale: f32,
  // 0. A product that passes through it is rounded by itself: a driver may not join it with the addition.
  guard: u32,
  // Joins after each term, four bits each: of the first eight terms, of the next eight.
  joins: u32,
  joins_after: u32,
}

@group(0) @binding(0) var<storage, read_write> memory: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;
@group(1) @binding(1) var<storage, read> table: array<u32>;

fn joins_of(term: u32) -> u32 {
  return (select(params.joins_after, params.joins, term < 8u) >> (4u * (term % 8u))) & 15u;
}

fn fold_one(row: u32, i: u32) {
  var stack: array<f32, DEPTH>;
  var height = 0u;
  for (var t = 0u; t < TERMS; t++) {
    stack[height] = bitcast<f32>(bitcast<u32>(memory[table[row + t] + i] * params.scale) ^ params.guard);
    for (var k = joins_of(t); k > 0u; k--) {
      height--;
      stack[height] += stack[height + 1u];
    }
    height++;
  }
  for (var t = TERMS; t < TERMS + TARGETS; t++) { memory[table[row + t] + i] = stack[0]; }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + local.x / LANES;
  let row = index * (TERMS + TARGETS + 2u);
  if (row >= arrayLength(&table)) { return; }
  let count = table[row + TERMS + TARGETS];
  for (var i = local.x % LANES; i < count; i += LANES) { fold_one(row, i); }
}
