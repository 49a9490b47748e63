// c[z, i, j] = sum over s, then over k, of a[z, s, i, k] b[z, s, k, j]: torch.matmul of batches and torch.bmm, and the
// gradient of an operand that was broadcast (then s runs over the batch along which it was). z = (z0, z1, z2) and s =
// (s0, s1) walk either operand with a step for each dimension, 0 where it is broadcast; within a matrix a[i, k] stands
// at i * a_row + k * a_step, b[k, j] at k * b_step + j * b_column. c [z0, z1, z2, m, n] is dense. One invocation
// computes one element: one accumulator, s and k in order. 'ops/matmul' is the kernel of a single product.
struct Params {
  m: u32,
  n: u32,
  k: u32,
  a_row: u32,
  a_step: u32,
  b_step: u32,
  b_column: u32,
  batch: u32, // z0 * z1 * z2
  z0: u32,
  a_z0: u32,
  b_z0: u32,
  z1: u32,
  a_z1: u32,
  b_z1: u32,
  z2: u32,
  a_z2: u32,
  b_z2: u32,
  s0: u32,
  a_s0: u32,
  b_s0: u32,
  s1: u32,
  a_s1: u32,
  b_s1: u32,
  a_stride: u32,
  b_stride: u32,
  c_stride: u32,
}

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let e = id.y * 2097152u + id.x;
  if (e >= params.batch * params.m * params.n) { return; }
  let row = (e / params.n) % params.m;
  let z = e / (params.m * params.n);
  let z2 = z % params.z2;
  let z1 = (z / params.z2) % params.z1;
  let z0 = z / (params.z2 * params.z1);
  let a_start = id.z * params.a_stride + z0 * params.a_z0 + z1 * params.a_z1 + z2 * params.a_z2 + row * params.a_row;
  let b_start = id.z * params.b_stride + z0 * params.b_z0 + z1 * params.b_z1 + z2 * params.b_z2 + (e % params.n)
    * params.b_column;
  var sum = 0.0;
  for (var s0 = 0u; s0 < params.s0; s0++) {
    for (var s1 = 0u; s1 < params.s1; s1++) {
      var s = a_start + s0 * params.a_s0 + s1 * params.a_s1;
      var t = b_start + s0 * params.b_s0 + s1 * params.b_s1;
      for (var k = 0u; k < params.k; k++) {
        sum += a[s] * b[t];
        s += params.a_step;
        t += params.b_step;
      }
    }
  }
  c[id.z * params.c_stride + e] = sum;
}
