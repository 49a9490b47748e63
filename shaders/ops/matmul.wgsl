// c[i, j] = sum over k of a[i, k] b[k, j]: torch.mm, with either operand transposed through its steps (in elements):
// a[i, k] is at i * a_row + k * a_step, b[k, j] at k * b_step + j * b_column. c [m, n].
// One invocation computes one element: the sum over k in order, in one accumulator.
struct Params {
  m: u32,
  n: u32,
  k: u32,
  a_row: u32,
  a_step: u32,
  b_step: u32,
  b_column: u32,
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
  let i = id.y * 2097152u + id.x;
  if (i >= params.m * params.n) { return; }
  var s = id.z * params.a_stride + (i / params.n) * params.a_row;
  var t = id.z * params.b_stride + (i % params.n) * params.b_column;
  var sum = 0.0;
  for (var k = 0u; k < params.k; k++) {
    sum += a[s] * b[t];
    s += params.a_step;
    t += params.b_step;
  }
  c[id.z * params.c_stride + i] = sum;
}
