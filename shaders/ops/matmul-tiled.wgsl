// c[i, j] = sum over k of a[i, k] b[k, j] (+ bias[j]): matrix product of the larger layers. Behind
// torch.nn.functional.linear, its gradients and torch.mm: a[i, k] is at i * a_row + k * a_step, b[k, j] at k * b_step +
// j * b_column, so that either operand may be transposed. c [m, n]. One invocation computes a tile of 8 rows and 16
// columns in registers: 24 loads serve 128 multiply-adds, without workgroup memory or barriers (which are dear on
// software adapters). Every element is still one sum in k order: the same bits as the kernels with one element per
// invocation.
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

// Beyond the edge a tile repeats the last row or column and stores nothing.
fn row_start(row: u32, instance: u32) -> u32 {
  return instance * params.a_stride + min(row, params.m - 1u) * params.a_row;
}

fn column_start(column: u32, instance: u32) -> u32 {
  return instance * params.b_stride + min(column, params.n - 1u) * params.b_column;
}

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

@compute @workgroup_size(4, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y * 8u;
  let column = id.x * 16u;
  if (row >= params.m || column >= params.n) { return; }
  let a0 = row_start(row + 0u, id.z); let a1 = row_start(row + 1u, id.z);
  let a2 = row_start(row + 2u, id.z); let a3 = row_start(row + 3u, id.z);
  let a4 = row_start(row + 4u, id.z); let a5 = row_start(row + 5u, id.z);
  let a6 = row_start(row + 6u, id.z); let a7 = row_start(row + 7u, id.z);
  let c0 = column_start(column + 0u, id.z); let c1 = column_start(column + 1u, id.z);
  let c2 = column_start(column + 2u, id.z); let c3 = column_start(column + 3u, id.z);
  let c4 = column_start(column + 4u, id.z); let c5 = column_start(column + 5u, id.z);
  let c6 = column_start(column + 6u, id.z); let c7 = column_start(column + 7u, id.z);
  let c8 = column_start(column + 8u, id.z); let c9 = column_start(column + 9u, id.z);
  let c10 = column_start(column + 10u, id.z); let c11 = column_start(column + 11u, id.z);
  let c12 = column_start(column + 12u, id.z); let c13 = column_start(column + 13u, id.z);
  let c14 = column_start(column + 14u, id.z); let c15 = column_start(column + 15u, id.z);
  var s00 = vec4f(); var s01 = vec4f(); var s02 = vec4f(); var s03 = vec4f(); var s10 = vec4f(); var s11 = vec4f();
  var s12 = vec4f(); var s13 = vec4f();
  var s20 = vec4f(); var s21 = vec4f(); var s22 = vec4f(); var s23 = vec4f(); var s30 = vec4f(); var s31 = vec4f();
  var s32 = vec4f(); var s33 = vec4f();
  var s40 = vec4f(); var s41 = vec4f(); var s42 = vec4f(); var s43 = vec4f(); var s50 = vec4f(); var s51 = vec4f();
  var s52 = vec4f(); var s53 = vec4f();
  var s60 = vec4f(); var s61 = vec4f(); var s62 = vec4f(); var s63 = vec4f(); var s70 = vec4f(); var s71 = vec4f();
  var s72 = vec4f(); var s73 = vec4f();
  var s = 0u;
  var t = 0u;
  for (var k = 0u; k < params.k; k++) {
    let b0 = vec4f(b[c0 + t], b[c1 + t], b[c2 + t], b[c3 + t]);
    let b1 = vec4f(b[c4 + t], b[c5 + t], b[c6 + t], b[c7 + t]);
    let b2 = vec4f(b[c8 + t], b[c9 + t], b[c10 + t], b[c11 + t]);
    let b3 = vec4f(b[c12 + t], b[c13 + t], b[c14 + t], b[c15 + t]);
    let v0 = a[a0 + s]; s00 += v0 * b0; s01 += v0 * b1; s02 += v0 * b2; s03 += v0 * b3;
    let v1 = a[a1 + s]; s10 += v1 * b0; s11 += v1 * b1; s12 += v1 * b2; s13 += v1 * b3;
    let v2 = a[a2 + s]; s20 += v2 * b0; s21 += v2 * b1; s22 += v2 * b2; s23 += v2 * b3;
    let v3 = a[a3 + s]; s30 += v3 * b0; s31 += v3 * b1; s32 += v3 * b2; s33 += v3 * b3;
    let v4 = a[a4 + s]; s40 += v4 * b0; s41 += v4 * b1; s42 += v4 * b2; s43 += v4 * b3;
    let v5 = a[a5 + s]; s50 += v5 * b0; s51 += v5 * b1; s52 += v5 * b2; s53 += v5 * b3;
    let v6 = a[a6 + s]; s60 += v6 * b0; s61 += v6 * b1; s62 += v6 * b2; s63 += v6 * b3;
    let v7 = a[a7 + s]; s70 += v7 * b0; s71 += v7 * b1; s72 += v7 * b2; s73 += v7 * b3;
    s += params.a_step;
    t += params.b_step;
  }
  // Written in a loop, so that the epilogue is compiled once.
  var sums = array<vec4f, 32>(
    s00, s01, s02, s03, s10, s11, s12, s13,
    s20, s21, s22, s23, s30, s31, s32, s33,
    s40, s41, s42, s43, s50, s51, s52, s53,
    s60, s61, s62, s63, s70, s71, s72, s73);
  for (var e = 0u; e < 128u && row + e / 16u < params.m; e++) {
    let j = column + e % 16u;
    if (j >= params.n) { continue; }
    var v = sums[e / 4u][e % 4u];
    if (params.has_bias == 1u) { v += bias[id.z * params.bias_stride + j]; }
    c[id.z * params.c_stride + (row + e / 16u) * params.n + j] = activate(v);
  }
}
