// c[i, j] = activate(sum over k of a[i, k] b[k, j] + bias[j]): matrix product for GPUs with fast workgroup memory, of
// any layout (torch.mm, torch.nn.functional.linear). a[i, k] is at i * a_row + k * a_step, b[k, j] at k * b_step + j *
// b_column; bias [n] (if has_bias), c [m, n]. Why: blocks of 8 TY x 16 of a and 16 x 64 of b come in vectors of four,
// are read 64 and 8 TY times, and the next ones are under way while these are multiplied. 16 TY invocations compute 8 x
// 4 elements each. One accumulator per element, k in order (beyond the edge zeros are loaded, and only behind the last
// k): the same bits as 'ops/linear'; with CUT a sum for each `part` steps, these added up in order: the same bits as
// 'workgroup/split-product'. a_4 and b_4 are a and b, read four by four.
override ACTIVATION: u32 = 0u; // 0 none, 1 relu, 2 tanh, 3 sigmoid
override TY: u32 = 8u; // 8 or 16
override A_FORM: u32 = 0u; // 1: whole vectors along k; 2: along rows of a or columns of b; 0: neither
override B_FORM: u32 = 0u;
override CUT: u32 = 0u;

struct Params {
  m: u32,
  n: u32,
  k: u32,
  a_row: u32,
  a_step: u32,
  b_step: u32,
  b_column: u32,
  has_bias: u32,
  part: u32, // with CUT: steps of a slice, a multiple of 4
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

// Four rows or columns at k * step + row / 4: the odd steps, 2 TY + 1 and 17, keep the banks of the memory apart.
var<workgroup> block_a: array<vec4f, 528>;
var<workgroup> block_b: array<vec4f, 272>;

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

// Four steps from k on, one vector of four rows each; zeros beyond the last step, the last row repeated. Pieces beyond
// the edge are not read, and what comes of them is not stored.
fn a_block(row: u32, k: u32, start: u32) -> mat4x4f {
  var r: mat4x4f;
  if (k >= params.k || row >= params.m) { return r; }
  let rows = start + min(row + vec4u(0u, 1u, 2u, 3u), vec4u(params.m - 1u)) * params.a_row + k * params.a_step;
  if (A_FORM == 1u) {
    return transpose(mat4x4f(a_4[rows.x / 4u], a_4[rows.y / 4u], a_4[rows.z / 4u], a_4[rows.w / 4u]));
  }
  let left = params.k - k;
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

fn b_block(column: u32, k: u32, start: u32) -> mat4x4f {
  var r: mat4x4f;
  if (k >= params.k || column >= params.n) { return r; }
  let columns = start + min(column + vec4u(0u, 1u, 2u, 3u), vec4u(params.n - 1u)) * params.b_column + k * params.b_step;
  if (B_FORM == 1u) {
    return transpose(mat4x4f(b_4[columns.x / 4u], b_4[columns.y / 4u], b_4[columns.z / 4u], b_4[columns.w / 4u]));
  }
  let left = params.k - k;
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

@compute @workgroup_size(16, TY)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let first_row = group.y * TY * 8u;
  let first_column = group.x * 64u;
  let a_start = group.z * params.a_stride;
  let b_start = group.z * params.b_stride;
  let y = lane / 16u;
  let x = lane % 16u;
  // 8 TY invocations load a piece of 4 x 4 of a, the next 64 one of b; neighbours walk along the whole vectors.
  let of_a = lane < TY * 8u;
  let of_b = !of_a && lane < TY * 8u + 64u;
  let piece = select(lane - TY * 8u, lane, of_a);
  let across = select(16u, TY * 2u, of_a);
  let along_k = select(B_FORM, A_FORM, of_a) != 2u;
  let row = select(piece % across, piece / 4u, along_k);
  let step = select(piece / across, piece % 4u, along_k);
  let width = across + 1u;
  let to = step * 4u * width + row;
  var s0 = vec4f(); var s1 = vec4f(); var s2 = vec4f(); var s3 = vec4f();
  var s4 = vec4f(); var s5 = vec4f(); var s6 = vec4f(); var s7 = vec4f();
  var d0 = vec4f(); var d1 = vec4f(); var d2 = vec4f(); var d3 = vec4f(); // sums of the slices before
  var d4 = vec4f(); var d5 = vec4f(); var d6 = vec4f(); var d7 = vec4f();
  var left = params.part; // steps of the slice
  var v: mat4x4f;
  if (of_a) { v = a_block(first_row + row * 4u, step * 4u, a_start); }
  if (of_b) { v = b_block(first_column + row * 4u, step * 4u, b_start); }
  for (var k = 0u; k < params.k; k += 16u) {
    if (of_a) {
      block_a[to] = v[0]; block_a[to + width] = v[1]; block_a[to + 2u * width] = v[2]; block_a[to + 3u * width] = v[3];
    }
    if (of_b) {
      block_b[to] = v[0]; block_b[to + 17u] = v[1]; block_b[to + 34u] = v[2]; block_b[to + 51u] = v[3];
    }
    workgroupBarrier();
    if (of_a) { v = a_block(first_row + row * 4u, k + 16u + step * 4u, a_start); }
    if (of_b) { v = b_block(first_column + row * 4u, k + 16u + step * 4u, b_start); }
    for (var t = 0u; t < 16u; t++) {
      let u = block_a[t * (TY * 2u + 1u) + y];
      let w = block_a[t * (TY * 2u + 1u) + TY + y];
      let q = block_b[t * 17u + x];
      s0 += u.x * q; s1 += u.y * q; s2 += u.z * q; s3 += u.w * q;
      s4 += w.x * q; s5 += w.y * q; s6 += w.z * q; s7 += w.w * q;
      if (CUT == 1u) {
        left -= 1u;
        if (left == 0u) {
          d0 += s0; d1 += s1; d2 += s2; d3 += s3; d4 += s4; d5 += s5; d6 += s6; d7 += s7;
          s0 = vec4f(); s1 = vec4f(); s2 = vec4f(); s3 = vec4f();
          s4 = vec4f(); s5 = vec4f(); s6 = vec4f(); s7 = vec4f();
          left = params.part;
        }
      }
    }
    workgroupBarrier();
  }
  // Without CUT the sums stay as they are: s + 0 would turn -0 into 0.
  if (CUT == 1u) {
    s0 = d0 + s0; s1 = d1 + s1; s2 = d2 + s2; s3 = d3 + s3; s4 = d4 + s4; s5 = d5 + s5; s6 = d6 + s6; s7 = d7 + s7;
  }
  var biases = vec4f();
  for (var f = 0u; f < 4u && params.has_bias == 1u; f++) {
    let j = first_column + x * 4u + f;
    if (j < params.n) { biases[f] = bias[group.z * params.bias_stride + j]; }
  }
  var sums = array<vec4f, 8>(s0, s1, s2, s3, s4, s5, s6, s7);
  for (var e = 0u; e < 8u; e++) {
    let i = first_row + e / 4u * TY * 4u + y * 4u + e % 4u;
    for (var f = 0u; f < 4u && i < params.m; f++) {
      let j = first_column + x * 4u + f;
      if (j >= params.n) { break; }
      var sum = sums[e][f];
      if (params.has_bias == 1u) { sum += biases[f]; }
      c[group.z * params.c_stride + i * params.n + j] = activate(sum);
    }
  }
}
