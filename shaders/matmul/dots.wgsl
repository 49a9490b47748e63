// c[i, j] = activate(sum over k of a[i, k] b[j, k] + bias[j]) where both operands lie along k in whole vectors of four
// (k a multiple of 4): the forward pass of torch.nn.functional.linear, torch.mm(a, b.T). a [m, k], b [n, k], bias [n]
// (if has_bias), c [m, n]; the steps of the other tiled kernels are not read. Why: neither operand can be read along a
// row of c, so a load of a vector serves four steps of k instead; the tile is tall, because neighbours in x share the
// rows of a. One invocation computes 16 rows and 16 columns in registers: 32 loads serve 1,024 multiply-adds. No
// workgroup memory, no barriers. One accumulator per element, k in order: the same bits as 'ops/linear'.
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

@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// beyond the edge a tile repeats the last row or column and stores nothing
fn row_vector(row: u32, instance: u32) -> u32 {
  return (instance * params.a_stride + min(row, params.m - 1u) * params.k) / 4u;
}

fn column_start(column: u32, instance: u32) -> u32 {
  return (instance * params.b_stride + min(column, params.n - 1u) * params.k) / 4u;
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

// Four steps of k for four columns: b[t] holds their elements at step t.
fn add(sum: vec4f, v: vec4f, b: mat4x4f) -> vec4f {
  return (((sum + v.x * b[0]) + v.y * b[1]) + v.z * b[2]) + v.w * b[3];
}

@compute @workgroup_size(4, 2)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y * 16u;
  let column = id.x * 16u;
  if (row >= params.m || column >= params.n) { return; }
  let a0 = row_vector(row + 0u, id.z); let a1 = row_vector(row + 1u, id.z); let a2 = row_vector(row + 2u, id.z);
  let a3 = row_vector(row + 3u, id.z);
  let a4 = row_vector(row + 4u, id.z); let a5 = row_vector(row + 5u, id.z); let a6 = row_vector(row + 6u, id.z);
  let a7 = row_vector(row + 7u, id.z);
  let a8 = row_vector(row + 8u, id.z); let a9 = row_vector(row + 9u, id.z); let a10 = row_vector(row + 10u, id.z);
  let a11 = row_vector(row + 11u, id.z);
  let a12 = row_vector(row + 12u, id.z); let a13 = row_vector(row + 13u, id.z); let a14 = row_vector(row + 14u, id.z);
  let a15 = row_vector(row + 15u, id.z);
  let c0 = column_start(column + 0u, id.z); let c1 = column_start(column + 1u, id.z);
  let c2 = column_start(column + 2u, id.z); let c3 = column_start(column + 3u, id.z);
  let c4 = column_start(column + 4u, id.z); let c5 = column_start(column + 5u, id.z);
  let c6 = column_start(column + 6u, id.z); let c7 = column_start(column + 7u, id.z);
  let c8 = column_start(column + 8u, id.z); let c9 = column_start(column + 9u, id.z);
  let c10 = column_start(column + 10u, id.z); let c11 = column_start(column + 11u, id.z);
  let c12 = column_start(column + 12u, id.z); let c13 = column_start(column + 13u, id.z);
  let c14 = column_start(column + 14u, id.z); let c15 = column_start(column + 15u, id.z);
  var s0_0 = vec4f(); var s0_1 = vec4f(); var s0_2 = vec4f(); var s0_3 = vec4f(); var s1_0 = vec4f();
  var s1_1 = vec4f(); var s1_2 = vec4f(); var s1_3 = vec4f();
  var s2_0 = vec4f(); var s2_1 = vec4f(); var s2_2 = vec4f(); var s2_3 = vec4f(); var s3_0 = vec4f();
  var s3_1 = vec4f(); var s3_2 = vec4f(); var s3_3 = vec4f();
  var s4_0 = vec4f(); var s4_1 = vec4f(); var s4_2 = vec4f(); var s4_3 = vec4f(); var s5_0 = vec4f();
  var s5_1 = vec4f(); var s5_2 = vec4f(); var s5_3 = vec4f();
  var s6_0 = vec4f(); var s6_1 = vec4f(); var s6_2 = vec4f(); var s6_3 = vec4f(); var s7_0 = vec4f();
  var s7_1 = vec4f(); var s7_2 = vec4f(); var s7_3 = vec4f();
  var s8_0 = vec4f(); var s8_1 = vec4f(); var s8_2 = vec4f(); var s8_3 = vec4f(); var s9_0 = vec4f();
  var s9_1 = vec4f(); var s9_2 = vec4f(); var s9_3 = vec4f();
  var s10_0 = vec4f(); var s10_1 = vec4f(); var s10_2 = vec4f(); var s10_3 = vec4f(); var s11_0 = vec4f();
  var s11_1 = vec4f(); var s11_2 = vec4f(); var s11_3 = vec4f();
  var s12_0 = vec4f(); var s12_1 = vec4f(); var s12_2 = vec4f(); var s12_3 = vec4f(); var s13_0 = vec4f();
  var s13_1 = vec4f(); var s13_2 = vec4f(); var s13_3 = vec4f();
  var s14_0 = vec4f(); var s14_1 = vec4f(); var s14_2 = vec4f(); var s14_3 = vec4f(); var s15_0 = vec4f();
  var s15_1 = vec4f(); var s15_2 = vec4f(); var s15_3 = vec4f();
  let last = params.k / 4u;
  for (var k = 0u; k < last; k++) {
    let b0 = transpose(mat4x4f(b[c0 + k], b[c1 + k], b[c2 + k], b[c3 + k]));
    let b1 = transpose(mat4x4f(b[c4 + k], b[c5 + k], b[c6 + k], b[c7 + k]));
    let b2 = transpose(mat4x4f(b[c8 + k], b[c9 + k], b[c10 + k], b[c11 + k]));
    let b3 = transpose(mat4x4f(b[c12 + k], b[c13 + k], b[c14 + k], b[c15 + k]));
    let v0 = a[a0 + k]; s0_0 = add(s0_0, v0, b0); s0_1 = add(s0_1, v0, b1); s0_2 = add(s0_2, v0, b2);
    s0_3 = add(s0_3, v0, b3);
    let v1 = a[a1 + k]; s1_0 = add(s1_0, v1, b0); s1_1 = add(s1_1, v1, b1); s1_2 = add(s1_2, v1, b2);
    s1_3 = add(s1_3, v1, b3);
    let v2 = a[a2 + k]; s2_0 = add(s2_0, v2, b0); s2_1 = add(s2_1, v2, b1); s2_2 = add(s2_2, v2, b2);
    s2_3 = add(s2_3, v2, b3);
    let v3 = a[a3 + k]; s3_0 = add(s3_0, v3, b0); s3_1 = add(s3_1, v3, b1); s3_2 = add(s3_2, v3, b2);
    s3_3 = add(s3_3, v3, b3);
    let v4 = a[a4 + k]; s4_0 = add(s4_0, v4, b0); s4_1 = add(s4_1, v4, b1); s4_2 = add(s4_2, v4, b2);
    s4_3 = add(s4_3, v4, b3);
    let v5 = a[a5 + k]; s5_0 = add(s5_0, v5, b0); s5_1 = add(s5_1, v5, b1); s5_2 = add(s5_2, v5, b2);
    s5_3 = add(s5_3, v5, b3);
    let v6 = a[a6 + k]; s6_0 = add(s6_0, v6, b0); s6_1 = add(s6_1, v6, b1); s6_2 = add(s6_2, v6, b2);
    s6_3 = add(s6_3, v6, b3);
    let v7 = a[a7 + k]; s7_0 = add(s7_0, v7, b0); s7_1 = add(s7_1, v7, b1); s7_2 = add(s7_2, v7, b2);
    s7_3 = add(s7_3, v7, b3);
    let v8 = a[a8 + k]; s8_0 = add(s8_0, v8, b0); s8_1 = add(s8_1, v8, b1); s8_2 = add(s8_2, v8, b2);
    s8_3 = add(s8_3, v8, b3);
    let v9 = a[a9 + k]; s9_0 = add(s9_0, v9, b0); s9_1 = add(s9_1, v9, b1); s9_2 = add(s9_2, v9, b2);
    s9_3 = add(s9_3, v9, b3);
    let v10 = a[a10 + k]; s10_0 = add(s10_0, v10, b0); s10_1 = add(s10_1, v10, b1); s10_2 = add(s10_2, v10, b2);
    s10_3 = add(s10_3, v10, b3);
    let v11 = a[a11 + k]; s11_0 = add(s11_0, v11, b0); s11_1 = add(s11_1, v11, b1); s11_2 = add(s11_2, v11, b2);
    s11_3 = add(s11_3, v11, b3);
    let v12 = a[a12 + k]; s12_0 = add(s12_0, v12, b0); s12_1 = add(s12_1, v12, b1); s12_2 = add(s12_2, v12, b2);
    s12_3 = add(s12_3, v12, b3);
    let v13 = a[a13 + k]; s13_0 = add(s13_0, v13, b0); s13_1 = add(s13_1, v13, b1); s13_2 = add(s13_2, v13, b2);
    s13_3 = add(s13_3, v13, b3);
    let v14 = a[a14 + k]; s14_0 = add(s14_0, v14, b0); s14_1 = add(s14_1, v14, b1); s14_2 = add(s14_2, v14, b2);
    s14_3 = add(s14_3, v14, b3);
    let v15 = a[a15 + k]; s15_0 = add(s15_0, v15, b0); s15_1 = add(s15_1, v15, b1); s15_2 = add(s15_2, v15, b2);
    s15_3 = add(s15_3, v15, b3);
  }
  // Written in a loop, so that the epilogue is compiled once.
  var sums = array<vec4f, 64>(
    s0_0, s0_1, s0_2, s0_3, s1_0, s1_1, s1_2, s1_3,
    s2_0, s2_1, s2_2, s2_3, s3_0, s3_1, s3_2, s3_3,
    s4_0, s4_1, s4_2, s4_3, s5_0, s5_1, s5_2, s5_3,
    s6_0, s6_1, s6_2, s6_3, s7_0, s7_1, s7_2, s7_3,
    s8_0, s8_1, s8_2, s8_3, s9_0, s9_1, s9_2, s9_3,
    s10_0, s10_1, s10_2, s10_3, s11_0, s11_1, s11_2, s11_3,
    s12_0, s12_1, s12_2, s12_3, s13_0, s13_1, s13_2, s13_3,
    s14_0, s14_1, s14_2, s14_3, s15_0, s15_1, s15_2, s15_3);
  for (var e = 0u; e < 256u && row + e / 16u < params.m; e++) {
    let j = column + e % 16u;
    if (j >= params.n) { continue; }
    var v = sums[e / 4u][e % 4u];
    if (params.has_bias == 1u) { v += bias[id.z * params.bias_stride + j]; }
    c[id.z * params.c_stride + (row + e / 16u) * params.n + j] = activate(v);
  }
}
