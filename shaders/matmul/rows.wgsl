// c[i, j] = sum over k of a[i, k] b[k, j] where b and c are rows of whole vectors of four (n a multiple of 4): torch.mm
// and the gradients of torch.nn.functional.linear. a[i, k] is at i * a_row + k * a_step, so that it may be transposed;
// b [k, n], c [m, n]. Why: a load of a vector costs a software adapter little more than that of a float, and neighbours
// in x read neighbouring vectors, which a GPU fetches as one. One invocation computes 8 rows and four vectors, 4
// vectors apart, in registers: 12 loads serve 128 multiply-adds. No barriers. k is not unrolled, which on SwiftShader
// is slower. One accumulator per element, k in order: the same bits as 'ops/matmul'.
struct Params {
  m: u32,
  n: u32,
  k: u32,
  a_row: u32,
  a_step: u32,
  a_stride: u32,
  b_stride: u32,
  c_stride: u32,
}

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

// Beyond the edge a tile repeats the last row or column and stores nothing.
fn row_start(row: u32, instance: u32) -> u32 {
  return instance * params.a_stride + min(row, params.m - 1u) * params.a_row;
}

@compute @workgroup_size(4, 8)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let vectors = params.n / 4u;
  let row = (group.y * 8u + local.y) * 8u;
  let column = group.x * 16u + local.x;
  if (row >= params.m || column >= vectors) { return; }
  let a0 = row_start(row + 0u, group.z); let a1 = row_start(row + 1u, group.z);
  let a2 = row_start(row + 2u, group.z); let a3 = row_start(row + 3u, group.z);
  let a4 = row_start(row + 4u, group.z); let a5 = row_start(row + 5u, group.z);
  let a6 = row_start(row + 6u, group.z); let a7 = row_start(row + 7u, group.z);
  let b_start = group.z * (params.b_stride / 4u);
  let c0 = b_start + column;
  let c1 = b_start + min(column + 4u, vectors - 1u);
  let c2 = b_start + min(column + 8u, vectors - 1u);
  let c3 = b_start + min(column + 12u, vectors - 1u);
  var s00 = vec4f(); var s01 = vec4f(); var s02 = vec4f(); var s03 = vec4f();
  var s10 = vec4f(); var s11 = vec4f(); var s12 = vec4f(); var s13 = vec4f();
  var s20 = vec4f(); var s21 = vec4f(); var s22 = vec4f(); var s23 = vec4f();
  var s30 = vec4f(); var s31 = vec4f(); var s32 = vec4f(); var s33 = vec4f();
  var s40 = vec4f(); var s41 = vec4f(); var s42 = vec4f(); var s43 = vec4f();
  var s50 = vec4f(); var s51 = vec4f(); var s52 = vec4f(); var s53 = vec4f();
  var s60 = vec4f(); var s61 = vec4f(); var s62 = vec4f(); var s63 = vec4f();
  var s70 = vec4f(); var s71 = vec4f(); var s72 = vec4f(); var s73 = vec4f();
  let last = params.k;
  let step = params.a_step;
  var s = 0u;
  var t = 0u;
  for (var k = 0u; k < last; k++) {
    let b0 = b[c0 + t];
    let b1 = b[c1 + t];
    let b2 = b[c2 + t];
    let b3 = b[c3 + t];
    let v0 = a[a0 + s]; s00 += v0 * b0; s01 += v0 * b1; s02 += v0 * b2; s03 += v0 * b3;
    let v1 = a[a1 + s]; s10 += v1 * b0; s11 += v1 * b1; s12 += v1 * b2; s13 += v1 * b3;
    let v2 = a[a2 + s]; s20 += v2 * b0; s21 += v2 * b1; s22 += v2 * b2; s23 += v2 * b3;
    let v3 = a[a3 + s]; s30 += v3 * b0; s31 += v3 * b1; s32 += v3 * b2; s33 += v3 * b3;
    let v4 = a[a4 + s]; s40 += v4 * b0; s41 += v4 * b1; s42 += v4 * b2; s43 += v4 * b3;
    let v5 = a[a5 + s]; s50 += v5 * b0; s51 += v5 * b1; s52 += v5 * b2; s53 += v5 * b3;
    let v6 = a[a6 + s]; s60 += v6 * b0; s61 += v6 * b1; s62 += v6 * b2; s63 += v6 * b3;
    let v7 = a[a7 + s]; s70 += v7 * b0; s71 += v7 * b1; s72 += v7 * b2; s73 += v7 * b3;
    s += step;
    t += vectors;
  }
  var to = group.z * (params.c_stride / 4u) + row * vectors + column;
  // A whole tile is stored without a loop: an index into an array costs a software adapter as much as a store.
  if (row + 8u <= params.m && column + 12u < vectors) {
    c[to] = s00; c[to + 4u] = s01; c[to + 8u] = s02; c[to + 12u] = s03; to += vectors;
    c[to] = s10; c[to + 4u] = s11; c[to + 8u] = s12; c[to + 12u] = s13; to += vectors;
    c[to] = s20; c[to + 4u] = s21; c[to + 8u] = s22; c[to + 12u] = s23; to += vectors;
    c[to] = s30; c[to + 4u] = s31; c[to + 8u] = s32; c[to + 12u] = s33; to += vectors;
    c[to] = s40; c[to + 4u] = s41; c[to + 8u] = s42; c[to + 12u] = s43; to += vectors;
    c[to] = s50; c[to + 4u] = s51; c[to + 8u] = s52; c[to + 12u] = s53; to += vectors;
    c[to] = s60; c[to + 4u] = s61; c[to + 8u] = s62; c[to + 12u] = s63; to += vectors;
    c[to] = s70; c[to + 4u] = s71; c[to + 8u] = s72; c[to + 12u] = s73;
    return;
  }
  var sums = array<vec4f, 32>(
    s00, s01, s02, s03, s10, s11, s12, s13,
    s20, s21, s22, s23, s30, s31, s32, s33,
    s40, s41, s42, s43, s50, s51, s52, s53,
    s60, s61, s62, s63, s70, s71, s72, s73);
  for (var e = 0u; e < 32u && row + e / 4u < params.m; e++) {
    let j = column + e % 4u * 4u;
    if (j < vectors) { c[to + e / 4u * vectors + e % 4u * 4u] = sums[e]; }
  }
}
