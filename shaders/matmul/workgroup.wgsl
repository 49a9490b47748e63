// c[i, j] = activate(sum over k of a[i, k] b[k, j] + bias[j]): matrix product for GPUs with fast workgroup memory, of
// any layout. a[i, k] is at i * a_row + k * a_step, b[k, j] at k * b_step + j * b_column, so that either operand
// may be transposed; bias [n] (if has_bias), c [m, n]. Why: 256 invocations load blocks of 64 x 16 of either operand
// once, in the order in which they lie in memory, and read each element 64 times; each computes a tile of 4 x 4. Two
// barriers every 16 steps of k, which are cheap on a GPU and dear on software adapters. One accumulator an element, k
// in order (beyond the edge zeros are loaded, and only behind the last k): the same bits as 'ops/linear'.
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

// Block elements at k * 65 + row or column: the odd step keeps the banks of the memory apart.
var<workgroup> block_a: array<f32, 1040>;
var<workgroup> block_b: array<f32, 1040>;

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

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let first_row = group.y * 64u;
  let first_column = group.x * 64u;
  let a_start = group.z * params.a_stride;
  let b_start = group.z * params.b_stride;
  let y = lane / 16u * 4u;
  let x = lane % 16u;
  var s0 = vec4f();
  var s1 = vec4f();
  var s2 = vec4f();
  var s3 = vec4f();
  for (var k = 0u; k < params.k; k += 16u) {
    for (var e = lane; e < 1024u; e += 256u) {
      // Neighbours walk along the dimension in which the operand is dense.
      let ka = k + select(e / 64u, e % 16u, params.a_step == 1u);
      let row = select(e % 64u, e / 16u, params.a_step == 1u);
      let inside_a = ka < params.k && first_row + row < params.m;
      let at_a = select(0u, (first_row + row) * params.a_row + ka * params.a_step, inside_a);
      block_a[(ka - k) * 65u + row] = select(0.0, a[a_start + at_a], inside_a);
      let kb = k + select(e / 64u, e % 16u, params.b_step == 1u);
      let column = select(e % 64u, e / 16u, params.b_step == 1u);
      let inside_b = kb < params.k && first_column + column < params.n;
      let at_b = select(0u, kb * params.b_step + (first_column + column) * params.b_column, inside_b);
      block_b[(kb - k) * 65u + column] = select(0.0, b[b_start + at_b], inside_b);
    }
    workgroupBarrier();
    for (var t = 0u; t < 1040u; t += 65u) {
      let w = vec4f(block_b[t + x], block_b[t + x + 16u], block_b[t + x + 32u], block_b[t + x + 48u]);
      s0 += block_a[t + y] * w;
      s1 += block_a[t + y + 1u] * w;
      s2 += block_a[t + y + 2u] * w;
      s3 += block_a[t + y + 3u] * w;
    }
    workgroupBarrier();
  }
  var sums = array<vec4f, 4>(s0, s1, s2, s3);
  for (var e = 0u; e < 16u && first_row + y + e / 4u < params.m; e++) {
    let j = first_column + x + e % 4u * 16u;
    if (j >= params.n) { continue; }
    var v = sums[e / 4u][e % 4u];
    if (params.has_bias == 1u) { v += bias[group.z * params.bias_stride + j]; }
    c[group.z * params.c_stride + (first_row + y + e / 4u) * params.n + j] = activate(v);
  }
}
