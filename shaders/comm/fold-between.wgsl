// comm/fold where the terms lie in one GPUBuffer and the targets in another: for every element of a block
//   sum = (source[term 0] * scale + source[term 1] * scale) + ...        target[every target] = sum * after
// A row of the table: TERMS offsets, TARGETS offsets, the count, a spare word. LANES invocations take a block. With
// VECTORS = 1 all offsets of a row are equal modulo 4, and whole vectors of four are moved as such. FSDP's
// reduce-scatter is this: terms are the ranks' gradients, and the target is a shard of the gradient.

override TERMS: u32 = 1u;
override TARGETS: u32 = 1u;
override VECTORS: u32 = 0u;
override LANES: u32 = 64u;

struct Params {
  scale: f32,
  after: f32,
  // 0. A product that passes through it is rounded by itself: a driver may not join it with the addition.
  guard: u32,
}

@group(0) @binding(0) var<storage, read> source: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> to: array<vec4<f32>>;
@group(1) @binding(0) var<uniform> params: Params;
@group(1) @binding(1) var<storage, read> table: array<u32>;

fn fold_one(row: u32, i: u32) {
  var sum = 0.0;
  for (var t = 0u; t < TERMS; t++) {
    let place = table[row + t] + i;
    let term = bitcast<f32>(bitcast<u32>(source[place / 4u][place % 4u] * params.scale) ^ params.guard);
    sum = select(sum + term, term, t == 0u);
  }
  for (var t = TERMS; t < TERMS + TARGETS; t++) {
    let place = table[row + t] + i;
    to[place / 4u][place % 4u] = sum * params.after;
  }
}

fn fold_four(row: u32, i: u32) {
  var sum = vec4f();
  for (var t = 0u; t < TERMS; t++) {
    let scaled = source[(table[row + t] + i) / 4u] * params.scale;
    let term = bitcast<vec4f>(bitcast<vec4u>(scaled) ^ vec4u(params.guard));
    sum = select(sum + term, term, t == 0u);
  }
  for (var t = TERMS; t < TERMS + TARGETS; t++) { to[(table[row + t] + i) / 4u] = sum * params.after; }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + local.x / LANES;
  let row = index * (TERMS + TARGETS + 2u);
  if (row >= arrayLength(&table)) { return; }
  let lane = local.x % LANES;
  let count = table[row + TERMS + TARGETS];
  var first = count;
  var last = count;
  if (VECTORS == 1u) {
    first = min(count, (4u - table[row] % 4u) % 4u);
    last = first + (count - first) / 4u * 4u;
    for (var i = first + 4u * lane; i < last; i += 4u * LANES) { fold_four(row, i); }
  }
  for (var i = lane; i < first; i += LANES) { fold_one(row, i); }
  for (var i = last + lane; i < count; i += LANES) { fold_one(row, i); }
}
