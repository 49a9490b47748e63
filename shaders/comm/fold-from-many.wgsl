// comm/fold-between for terms in up to six GPUBuffers; the terms of a block are all in buffer n: for every element
//   sum = (from_n[term 0] * scale + from_n[term 1] * scale) + ...        target[every target] = sum * after
// A row of the table: TERMS offsets, TARGETS offsets, n, the count, a spare word. LANES invocations take a block.
// VECTORS = 1: all blocks begin and end at multiples of four, and whole vectors are moved. FSDP's reduce-scatter is
// this: the terms are the ranks' gradients, one GPUBuffer for each parameter of a unit; the targets are shards of
// gradients.
//
// Each of the SOURCES buffers has a loop of its own, and the loops of the other buffers end at once: a software adapter
// would run all cases of a switch.

override SOURCES: u32 = 6u;
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

@group(0) @binding(0) var<storage, read> from_0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> from_1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> from_2: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> from_3: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> from_4: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> from_5: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> to: array<vec4<f32>>;
@group(1) @binding(0) var<uniform> params: Params;
@group(1) @binding(1) var<storage, read> table: array<u32>;

// The place of element i, or of vector i, of term or target t.
fn place(row: u32, t: u32, i: u32) -> u32 { return table[row + t] + select(i, 4u * i, VECTORS == 1u); }

// The sum with term t, whose place is in `four`; term 0 begins it. For a single element, all components are alike.
fn plus(sum: vec4f, four: vec4f, row: u32, t: u32, i: u32) -> vec4f {
  var own = four;
  if (VECTORS == 0u) { own = vec4f(four[place(row, t, i) % 4u]); }
  let term = bitcast<vec4f>(bitcast<vec4u>(own * params.scale) ^ vec4u(params.guard));
  return select(sum + term, term, t == 0u);
}

fn put(row: u32, i: u32, sum: vec4f) {
  let scaled = sum * params.after;
  for (var t = TERMS; t < TERMS + TARGETS; t++) {
    let at = place(row, t, i);
    if (VECTORS == 1u) { to[at / 4u] = scaled; } else { to[at / 4u][at % 4u] = scaled.x; }
  }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_id) local: vec3<u32>) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + local.x / LANES;
  let row = index * (TERMS + TARGETS + 3u);
  if (row >= arrayLength(&table)) { return; }
  let lane = local.x % LANES;
  let n = table[row + TERMS + TARGETS];
  let count = table[row + TERMS + TARGETS + 1u];
  let end = select(count, count / 4u, VECTORS == 1u);
  for (var i = lane; SOURCES > 0u && n == 0u && i < end; i += LANES) {
    var sum = vec4f();
    for (var t = 0u; t < TERMS; t++) { sum = plus(sum, from_0[place(row, t, i) / 4u], row, t, i); }
    put(row, i, sum);
  }
  for (var i = lane; SOURCES > 1u && n == 1u && i < end; i += LANES) {
    var sum = vec4f();
    for (var t = 0u; t < TERMS; t++) { sum = plus(sum, from_1[place(row, t, i) / 4u], row, t, i); }
    put(row, i, sum);
  }
  for (var i = lane; SOURCES > 2u && n == 2u && i < end; i += LANES) {
    var sum = vec4f();
    for (var t = 0u; t < TERMS; t++) { sum = plus(sum, from_2[place(row, t, i) / 4u], row, t, i); }
    put(row, i, sum);
  }
  for (var i = lane; SOURCES > 3u && n == 3u && i < end; i += LANES) {
    var sum = vec4f();
    for (var t = 0u; t < TERMS; t++) { sum = plus(sum, from_3[place(row, t, i) / 4u], row, t, i); }
    put(row, i, sum);
  }
  for (var i = lane; SOURCES > 4u && n == 4u && i < end; i += LANES) {
    var sum = vec4f();
    for (var t = 0u; t < TERMS; t++) { sum = plus(sum, from_4[place(row, t, i) / 4u], row, t, i); }
    put(row, i, sum);
  }
  for (var i = lane; SOURCES > 5u && n == 5u && i < end; i += LANES) {
    var sum = vec4f();
    for (var t = 0u; t < TERMS; t++) { sum = plus(sum, from_5[place(row, t, i) / 4u], row, t, i); }
    put(row, i, sum);
  }
}
