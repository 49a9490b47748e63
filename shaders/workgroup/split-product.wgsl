// c[i, j] = activate(sum over k of a[i, k] b[k, j] + bias[j]): matrix product for GPUs with fast workgroup memory and
// few elements to compute, such as the gradient of a weight (torch.nn.functional.linear). a[i, k] is at i * a_row + k *
// a_step, b[k, j] at k * b_step + j * b_column; bias [n] (if has_bias), c [m, n]. Why: large tiles would leave most of
// the GPU idle. A workgroup of 256 computes a tile of 4 SIDE x 4 SIDE, cut along k into 256 / SIDE^2 slices of `part`
// steps; in a slice every invocation has 4 x 4 elements. Blocks of 2 SIDE steps of every slice come into workgroup
// memory in vectors of four, the next ones under way while these are multiplied; the slices are added up in order. The
// bits depend on the shape alone. a_4 and b_4 are a and b, read four by four.
override ACTIVATION: u32 = 0u; // 0 none, 1 relu, 2 tanh, 3 sigmoid
override SIDE: u32 = 8u;
override A_FORM: u32 = 0u; // 1: whole vectors along k; 2: along rows of a or columns of b; 0: neither
override B_FORM: u32 = 0u;

struct Params {
  m: u32,
  n: u32,
  k: u32,
  a_row: u32,
  a_step: u32,
  b_step: u32,
  b_column: u32,
  has_bias: u32,
  part: u32,
  a_stride: u32,
  a_4_stride: u32,
  b_stride: u32,
  b_4_stride: u32,
  bias_stride: u32,
  c_stride: u32,
}

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> a_4: array<vec4f>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read> b_4: array<vec4f>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;
@group(0) @binding(5) var<storage, read_write> c: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// First blocks of a and b: for each step the rows of a of all slices, four by four, then the columns of b. Then sums.
var<workgroup> parts: array<vec4f, 1024>;

fn tanh_accurate(v: f32) -> f32 {
  let q = v * v;
  if (q < 0.09) { return v * (1.0 + q * (-0.33333334 + q * (0.13333334 + q * (-0.05396825 + q * 0.021869488)))); }
  let t = 1.0 - 2.0 / (exp(2.0 * min(abs(v), 9.0)) + 1.0);
  return select(t, -t, v < 0.0);
}

fn activate(v: f32) -> f32 {
  if (ACTIVATION == 0u || (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u) { return v; } // NaN passes
  if (ACTIVATION == 1u) { return max(v, 0.0); }
  if (ACTIVATION == 2u) { return tanh_accurate(v); }
  return 1.0 / (1.0 + exp(-v));
}

fn a_at(at: vec4u) -> vec4f { return vec4f(a[at.x], a[at.y], a[at.z], a[at.w]); }
fn b_at(at: vec4u) -> vec4f { return vec4f(b[at.x], b[at.y], b[at.z], b[at.w]); }

// Steps k .. k + 3, one vector of four rows each; zeros from `end` on, the last row repeated. Pieces beyond the edge
// are not read, and what comes of them is not stored.
fn a_block(row: u32, k: u32, end: u32, start: u32) -> mat4x4f {
  var r: mat4x4f;
  if (k >= end || row >= params.m) { return r; }
  let rows = start + min(row + vec4u(0u, 1u, 2u, 3u), vec4u(params.m - 1u)) * params.a_row + k * params.a_step;
  if (A_FORM == 1u) {
    return transpose(mat4x4f(a_4[rows.x / 4u], a_4[rows.y / 4u], a_4[rows.z / 4u], a_4[rows.w / 4u]));
  }
  let left = end - k;
  let s = params.a_step;
  if (A_FORM == 2u) {
    let at = start + min(row, params.m - 4u) + k * s;
    r[0] = a_4[at / 4u];
    if (left > 1u) { r[1] = a_4[(at + s) / 4u]; }
    if (left > 2u) { r[2] = a_4[(at + 2u * s) / 4u]; }
    if (left > 3u) { r[3] = a_4[(at + 3u * s) / 4u]; }
    return r;
  }
  r[0] = a_at(rows);
  if (left > 1u) { r[1] = a_at(rows + s); }
  if (left > 2u) { r[2] = a_at(rows + 2u * s); }
  if (left > 3u) { r[3] = a_at(rows + 3u * s); }
  return r;
}

fn b_block(column: u32, k: u32, end: u32, start: u32) -> mat4x4f {
  var r: mat4x4f;
  if (k >= end || column >= params.n) { return r; }
  let columns = start + min(column + vec4u(0u, 1u, 2u, 3u), vec4u(params.n - 1u)) * params.b_column + k * params.b_step;
  if (B_FORM == 1u) {
    return transpose(mat4x4f(b_4[columns.x / 4u], b_4[columns.y / 4u], b_4[columns.z / 4u], b_4[columns.w / 4u]));
  }
  let left = end - k;
  let s = params.b_step;
  if (B_FORM == 2u) {
    let at = start + min(column, params.n - 4u) + k * s;
    r[0] = b_4[at / 4u];
    if (left > 1u) { r[1] = b_4[(at + s) / 4u]; }
    if (left > 2u) { r[2] = b_4[(at + 2u * s) / 4u]; }
    if (left > 3u) { r[3] = b_4[(at + 3u * s) / 4u]; }
    return r;
  }
  r[0] = b_at(columns);
  if (left > 1u) { r[1] = b_at(columns + s); }
  if (left > 2u) { r[2] = b_at(columns + 2u * s); }
  if (left > 3u) { r[3] = b_at(columns + 3u * s); }
  return r;
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let first_row = group.y * SIDE * 4u;
  let first_column = group.x * SIDE * 4u;
  let a_start = group.z * params.a_stride;
  let b_start = group.z * params.b_stride;
  // One half of the invocations loads pieces of 4 x 4 of a, the other of b; neighbours walk along the whole vectors.
  let of_b = lane >= 128u;
  let piece = lane % 128u;
  let quads = SIDE / 2u; // pieces along k
  let along_k = select(A_FORM, B_FORM, of_b) != 2u;
  let four = select(piece % SIDE, piece / quads % SIDE, along_k) * 4u; // of rows or columns
  let step = select(piece / SIDE % quads, piece % quads, along_k) * 4u;
  let loaded = piece / (SIDE * quads); // the slice
  let load_end = min((loaded + 1u) * params.part, params.k);
  let width = 256u / SIDE;
  let to = (step * 2u + select(0u, 1u, of_b)) * width + loaded * SIDE + four / 4u;
  var load_k = loaded * params.part + step;
  let slice = lane / (SIDE * SIDE);
  let y = lane / SIDE % SIDE;
  let x = lane % SIDE;
  var left = min((slice + 1u) * params.part, params.k) - min(slice * params.part, params.k);
  var s0 = vec4f();
  var s1 = vec4f();
  var s2 = vec4f();
  var s3 = vec4f();
  var v: mat4x4f;
  if (of_b) { v = b_block(first_column + four, load_k, load_end, b_start); }
  else { v = a_block(first_row + four, load_k, load_end, a_start); }
  for (var k = 0u; k < params.part; k += 2u * SIDE) {
    for (var e = 0u; e < 4u; e++) { parts[to + e * 2u * width] = v[e]; }
    workgroupBarrier();
    load_k += 2u * SIDE;
    if (of_b) { v = b_block(first_column + four, load_k, load_end, b_start); }
    else { v = a_block(first_row + four, load_k, load_end, a_start); }
    let steps = min(left, 2u * SIDE);
    left -= steps;
    for (var t = 0u; t < steps; t++) {
      let u = parts[t * 2u * width + slice * SIDE + y];
      let w = parts[(t * 2u + 1u) * width + slice * SIDE + x];
      s0 += u.x * w;
      s1 += u.y * w;
      s2 += u.z * w;
      s3 += u.w * w;
    }
    workgroupBarrier();
  }
  let tile = 4u * SIDE * SIDE; // vectors
  let at = slice * tile + y * 4u * SIDE + x;
  parts[at] = s0;
  parts[at + SIDE] = s1;
  parts[at + 2u * SIDE] = s2;
  parts[at + 3u * SIDE] = s3;
  workgroupBarrier();
  if (lane >= tile) { return; }
  var sum = parts[lane];
  for (var p = lane + tile; p < 1024u; p += tile) { sum += parts[p]; }
  let i = group.y * SIDE * 4u + lane / SIDE;
  if (i >= params.m) { return; }
  for (var e = 0u; e < 4u; e++) {
    let j = (group.x * SIDE + lane % SIDE) * 4u + e;
    if (j >= params.n) { return; }
    var value = sum[e];
    if (params.has_bias == 1u) { value += bias[group.z * params.bias_stride + j]; }
    c[group.z * params.c_stride + i * params.n + j] = activate(value);
  }
}
