// c[i, j] = activate(sum over k of a[i, k] b[k, j] + bias[j]): matrix product with few rows or few columns, such as the
// last layer of a classifier. a[i, k] is at i * a_row + k * a_step, b[k, j] at k * b_step + j * b_column, so that
// either operand may be transposed; bias [n] (if has_bias), c [m, n]. Why: the large tiles would stand mostly beyond
// the edge. One invocation computes a tile of 4 x 4 (8 loads serve 16 multiply-adds), and the tiles are numbered
// through, so that neighbours in x have work whatever the shape. One accumulator per element, k in order: the same bits
// as 'ops/linear'.
override ACTIVATION: u32 = 0u; // 0 none, 1 relu, 2 tanh, 3 sigmoid

struct Params {
  m: u32,
  n: u32,
  k: u32,
  a_row: u32,
  a_step: u32,
  b_step: u32,
  b_column: u32,
  has_bias: u32,
  a_stride: u32,
  b_stride: u32,
  bias_stride: u32,
  c_stride: u32,
}

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

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

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let tile = id.y * 2097152u + id.x;
  let across = (params.n + 3u) / 4u;
  let row = tile / across * 4u;
  let column = tile % across * 4u;
  if (row >= params.m) { return; }
  let a_start = id.z * params.a_stride;
  let b_start = id.z * params.b_stride;
  // Beyond the edge a tile repeats the last row or column and stores nothing.
  var a0 = a_start + min(row + 0u, params.m - 1u) * params.a_row;
  var a1 = a_start + min(row + 1u, params.m - 1u) * params.a_row;
  var a2 = a_start + min(row + 2u, params.m - 1u) * params.a_row;
  var a3 = a_start + min(row + 3u, params.m - 1u) * params.a_row;
  var b0 = b_start + min(column + 0u, params.n - 1u) * params.b_column;
  var b1 = b_start + min(column + 1u, params.n - 1u) * params.b_column;
  var b2 = b_start + min(column + 2u, params.n - 1u) * params.b_column;
  var b3 = b_start + min(column + 3u, params.n - 1u) * params.b_column;
  var s0 = vec4f();
  var s1 = vec4f();
  var s2 = vec4f();
  var s3 = vec4f();
  for (var k = 0u; k < params.k; k++) {
    let w = vec4f(b[b0], b[b1], b[b2], b[b3]);
    s0 += a[a0] * w; a0 += params.a_step; b0 += params.b_step;
    s1 += a[a1] * w; a1 += params.a_step; b1 += params.b_step;
    s2 += a[a2] * w; a2 += params.a_step; b2 += params.b_step;
    s3 += a[a3] * w; a3 += params.a_step; b3 += params.b_step;
  }
  var sums = array<vec4f, 4>(s0, s1, s2, s3);
  for (var e = 0u; e < 16u && row + e / 4u < params.m; e++) {
    let j = column + e % 4u;
    if (j >= params.n) { continue; }
    var v = sums[e / 4u][e % 4u];
    if (params.has_bias == 1u) { v += bias[id.z * params.bias_stride + j]; }
    c[id.z * params.c_stride + (row + e / 4u) * params.n + j] = activate(v);
  }
}
