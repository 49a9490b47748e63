// c[i, j] = activate(sum over k of a[i, k] b[k, j] + bias[j]): matrix product for GPUs with fast workgroup memory and
// few elements to compute, such as the gradient of a weight (torch.nn.functional.linear). a[i, k] is at i * a_row + k *
// a_step, b[k, j] at k * b_step + j * b_column; bias [n] (if has_bias), c [m, n]. Why: large tiles would leave most of
// the GPU idle. A workgroup of 256 computes a tile of 4 SIDE x 4 SIDE, cut along k into 256 / SIDE^2 slices of `part`
// steps; in a slice every invocation has 4 x 4 elements, whose rows and columns neighbours read too (from the cache),
// and the slices are added up in order. The bits depend on the shape alone. a_4 and b_4 are a and b, read four by four.
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

// Four steps from `at` on, one vector of four rows each.
fn a_block(at: vec4u) -> mat4x4f {
  let s = params.a_step;
  if (A_FORM == 1u) {
    return transpose(mat4x4f(a_4[at.x / 4u], a_4[at.y / 4u], a_4[at.z / 4u], a_4[at.w / 4u]));
  }
  if (A_FORM == 2u) {
    return mat4x4f(a_4[at.x / 4u], a_4[(at.x + s) / 4u], a_4[(at.x + 2u * s) / 4u], a_4[(at.x + 3u * s) / 4u]);
  }
  return mat4x4f(a_at(at), a_at(at + s), a_at(at + 2u * s), a_at(at + 3u * s));
}

fn b_block(at: vec4u) -> mat4x4f {
  let s = params.b_step;
  if (B_FORM == 1u) {
    return transpose(mat4x4f(b_4[at.x / 4u], b_4[at.y / 4u], b_4[at.z / 4u], b_4[at.w / 4u]));
  }
  if (B_FORM == 2u) {
    return mat4x4f(b_4[at.x / 4u], b_4[(at.x + s) / 4u], b_4[(at.x + 2u * s) / 4u], b_4[(at.x + 3u * s) / 4u]);
  }
  return mat4x4f(b_at(at), b_at(at + s), b_at(at + 2u * s), b_at(at + 3u * s));
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let four = vec4u(0u, 1u, 2u, 3u);
  let slice = lane / (SIDE * SIDE);
  let y = lane / SIDE % SIDE;
  let x = lane % SIDE;
  // Beyond the edge a tile repeats the last row or column and stores nothing.
  let rows = min((group.y * SIDE + y) * 4u + four, vec4u(params.m - 1u));
  let columns = min((group.x * SIDE + x) * 4u + four, vec4u(params.n - 1u));
  let begin = slice * params.part;
  let end = min(begin + params.part, params.k);
  var s = group.z * params.a_stride + rows * params.a_row + begin * params.a_step;
  var t = group.z * params.b_stride + columns * params.b_column + begin * params.b_step;
  if (A_FORM == 2u) { s.x -= rows.x - min(rows.x, params.m - 4u); }
  if (B_FORM == 2u) { t.x -= columns.x - min(columns.x, params.n - 4u); }
  var s0 = vec4f();
  var s1 = vec4f();
  var s2 = vec4f();
  var s3 = vec4f();
  var k = begin;
  for (; k + 4u <= end; k += 4u) {
    let u = a_block(s);
    let w = b_block(t);
    s0 = s0 + u[0].x * w[0] + u[1].x * w[1] + u[2].x * w[2] + u[3].x * w[3];
    s1 = s1 + u[0].y * w[0] + u[1].y * w[1] + u[2].y * w[2] + u[3].y * w[3];
    s2 = s2 + u[0].z * w[0] + u[1].z * w[1] + u[2].z * w[2] + u[3].z * w[3];
    s3 = s3 + u[0].w * w[0] + u[1].w * w[1] + u[2].w * w[2] + u[3].w * w[3];
    s += 4u * params.a_step;
    t += 4u * params.b_step;
  }
  s = group.z * params.a_stride + rows * params.a_row + k * params.a_step;
  t = group.z * params.b_stride + columns * params.b_column + k * params.b_step;
  for (; k < end; k++) {
    let u = a_at(s);
    let w = b_at(t);
    s0 += u.x * w;
    s1 += u.y * w;
    s2 += u.z * w;
    s3 += u.w * w;
    s += params.a_step;
    t += params.b_step;
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
    var v = sum[e];
    if (params.has_bias == 1u) { v += bias[group.z * params.bias_stride + j]; }
    c[group.z * params.c_stride + i * params.n + j] = activate(v);
  }
}
