// A whole torch.distributed.all_reduce of devices that share a GPUBuffer, in one pass over memory: for every element of
// a block
//   sum = (memory[term 0] * scale + memory[term 1] * scale) + ...        memory[every target] = sum * after
// in the order in which the algorithm's rounds add, so that the bits are theirs; NCCL's single kernel does the same
// over NVLink. `scale` is DDP's 1/worldSize. A row of the table: TERMS offsets, TARGETS offsets, the count, a spare
// word. No other block touches what a block writes. LANES invocations take a block. VECTORS = 1: all offsets of a row
// are equal modulo 4, and whole vectors of four are moved as such: the offsets of a block are read once, and up to
// AHEAD terms and targets are written out, because a loop costs a software adapter more than what it does here.
// VECTORS = 2: a block has only whole vectors. On SwiftShader it then takes 0.6 of the time, because a loop over single
// elements costs as much as an iteration even if there are none.

override TERMS: u32 = 1u;
override TARGETS: u32 = 1u;
override VECTORS: u32 = 0u;
override LANES: u32 = 64u;
const AHEAD = 16u;

struct Params {
  scale: f32,
  after: f32,
  // 0. A product that passes through it is rounded by itself: a driver may not join it with the addition.
  guard: u32,
}

@group(0) @binding(0) var<storage, read_write> memory: array<vec4<f32>>;
@group(1) @binding(0) var<uniform> params: Params;
@group(1) @binding(1) var<storage, read> table: array<u32>;

fn fold_one(row: u32, i: u32) {
  var sum = 0.0;
  for (var t = 0u; t < TERMS; t++) {
    let place = table[row + t] + i;
    let term = bitcast<f32>(bitcast<u32>(memory[place / 4u][place % 4u] * params.scale) ^ params.guard);
    sum = select(sum + term, term, t == 0u);
  }
  for (var t = TERMS; t < TERMS + TARGETS; t++) {
    let place = table[row + t] + i;
    memory[place / 4u][place % 4u] = sum * params.after;
  }
}

fn term(at: u32) -> vec4f { return bitcast<vec4f>(bitcast<vec4u>(memory[at] * params.scale) ^ vec4u(params.guard)); }

// Elements start, start + 4 * LANES ... before `end`, four at a time.
fn fold_fours(row: u32, start: u32, end: u32) {
  var a: array<u32, AHEAD>;
  var b: array<u32, AHEAD>;
  if (TERMS > 0u) { a[0] = (table[row + 0u] + start) / 4u; } if (TERMS > 1u) { a[1] = (table[row + 1u] + start) / 4u; }
  if (TERMS > 2u) { a[2] = (table[row + 2u] + start) / 4u; } if (TERMS > 3u) { a[3] = (table[row + 3u] + start) / 4u; }
  if (TERMS > 4u) { a[4] = (table[row + 4u] + start) / 4u; } if (TERMS > 5u) { a[5] = (table[row + 5u] + start) / 4u; }
  if (TERMS > 6u) { a[6] = (table[row + 6u] + start) / 4u; } if (TERMS > 7u) { a[7] = (table[row + 7u] + start) / 4u; }
  if (TERMS > 8u) { a[8] = (table[row + 8u] + start) / 4u; } if (TERMS > 9u) { a[9] = (table[row + 9u] + start) / 4u; }
  if (TERMS > 10u) { a[10] = (table[row + 10u] + start) / 4u; }
  if (TERMS > 11u) { a[11] = (table[row + 11u] + start) / 4u; }
  if (TERMS > 12u) { a[12] = (table[row + 12u] + start) / 4u; }
  if (TERMS > 13u) { a[13] = (table[row + 13u] + start) / 4u; }
  if (TERMS > 14u) { a[14] = (table[row + 14u] + start) / 4u; }
  if (TERMS > 15u) { a[15] = (table[row + 15u] + start) / 4u; }
  if (TARGETS > 0u) { b[0] = (table[row + TERMS + 0u] + start) / 4u; }
  if (TARGETS > 1u) { b[1] = (table[row + TERMS + 1u] + start) / 4u; }
  if (TARGETS > 2u) { b[2] = (table[row + TERMS + 2u] + start) / 4u; }
  if (TARGETS > 3u) { b[3] = (table[row + TERMS + 3u] + start) / 4u; }
  if (TARGETS > 4u) { b[4] = (table[row + TERMS + 4u] + start) / 4u; }
  if (TARGETS > 5u) { b[5] = (table[row + TERMS + 5u] + start) / 4u; }
  if (TARGETS > 6u) { b[6] = (table[row + TERMS + 6u] + start) / 4u; }
  if (TARGETS > 7u) { b[7] = (table[row + TERMS + 7u] + start) / 4u; }
  if (TARGETS > 8u) { b[8] = (table[row + TERMS + 8u] + start) / 4u; }
  if (TARGETS > 9u) { b[9] = (table[row + TERMS + 9u] + start) / 4u; }
  if (TARGETS > 10u) { b[10] = (table[row + TERMS + 10u] + start) / 4u; }
  if (TARGETS > 11u) { b[11] = (table[row + TERMS + 11u] + start) / 4u; }
  if (TARGETS > 12u) { b[12] = (table[row + TERMS + 12u] + start) / 4u; }
  if (TARGETS > 13u) { b[13] = (table[row + TERMS + 13u] + start) / 4u; }
  if (TARGETS > 14u) { b[14] = (table[row + TERMS + 14u] + start) / 4u; }
  if (TARGETS > 15u) { b[15] = (table[row + TERMS + 15u] + start) / 4u; }
  for (var i = 0u; start + 4u * i < end; i += LANES) {
    var sum = term(a[0] + i);
    if (TERMS > 1u) { sum += term(a[1] + i); }
    if (TERMS > 2u) { sum += term(a[2] + i); } if (TERMS > 3u) { sum += term(a[3] + i); }
    if (TERMS > 4u) { sum += term(a[4] + i); } if (TERMS > 5u) { sum += term(a[5] + i); }
    if (TERMS > 6u) { sum += term(a[6] + i); } if (TERMS > 7u) { sum += term(a[7] + i); }
    if (TERMS > 8u) { sum += term(a[8] + i); } if (TERMS > 9u) { sum += term(a[9] + i); }
    if (TERMS > 10u) { sum += term(a[10] + i); } if (TERMS > 11u) { sum += term(a[11] + i); }
    if (TERMS > 12u) { sum += term(a[12] + i); } if (TERMS > 13u) { sum += term(a[13] + i); }
    if (TERMS > 14u) { sum += term(a[14] + i); } if (TERMS > 15u) { sum += term(a[15] + i); }
    if (TERMS > AHEAD) { for (var t = AHEAD; t < TERMS; t++) { sum += term((table[row + t] + start) / 4u + i); } }
    sum *= params.after;
    if (TARGETS > 0u) { memory[b[0] + i] = sum; } if (TARGETS > 1u) { memory[b[1] + i] = sum; }
    if (TARGETS > 2u) { memory[b[2] + i] = sum; } if (TARGETS > 3u) { memory[b[3] + i] = sum; }
    if (TARGETS > 4u) { memory[b[4] + i] = sum; } if (TARGETS > 5u) { memory[b[5] + i] = sum; }
    if (TARGETS > 6u) { memory[b[6] + i] = sum; } if (TARGETS > 7u) { memory[b[7] + i] = sum; }
    if (TARGETS > 8u) { memory[b[8] + i] = sum; } if (TARGETS > 9u) { memory[b[9] + i] = sum; }
    if (TARGETS > 10u) { memory[b[10] + i] = sum; } if (TARGETS > 11u) { memory[b[11] + i] = sum; }
    if (TARGETS > 12u) { memory[b[12] + i] = sum; } if (TARGETS > 13u) { memory[b[13] + i] = sum; }
    if (TARGETS > 14u) { memory[b[14] + i] = sum; } if (TARGETS > 15u) { memory[b[15] + i] = sum; }
    if (TARGETS > AHEAD) {
      for (var t = AHEAD; t < TARGETS; t++) { memory[(table[row + TERMS + t] + start) / 4u + i] = sum; }
    }
  }
}

fn fold_all(row: u32, lane: u32, count: u32) {
  var first = count;
  var last = count;
  if (VECTORS == 1u) {
    first = min(count, (4u - table[row] % 4u) % 4u);
    last = first + (count - first) / 4u * 4u;
    fold_fours(row, first + lane * 4u, last);
  }
  for (var i = lane; i < first; i += LANES) { fold_one(row, i); }
  for (var i = last + lane; i < count; i += LANES) { fold_one(row, i); }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + local.x / LANES;
  let row = index * (TERMS + TARGETS + 2u);
  if (row >= arrayLength(&table)) { return; }
  let lane = local.x % LANES;
  let count = table[row + TERMS + TARGETS];
  if (VECTORS == 2u) { fold_fours(row, lane * 4u, count); } else { fold_all(row, lane, count); }
}
