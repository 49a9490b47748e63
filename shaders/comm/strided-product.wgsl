// out[a, b] = sum over k of left[a, k] * right[b, k], each of the three a matrix inside a larger buffer with strides of
// its own: the products P = M Q, Q = M^T P and M = P Q^T of PowerSGD (torch.bmm in powerSGD_hook.py) on a flat bucket.
// `left_row` is the step from a to a + 1, `left_step` that from k to k + 1; the same on the right. out is dense, [rows,
// columns] from `out_at` on. One invocation per element, one accumulator, in order of k.

struct Params {
  rows: u32,
  columns: u32,
  depth: u32,
  left_at: u32,
  left_row: u32,
  left_step: u32,
  right_at: u32,
  right_row: u32,
  right_step: u32,
  out_at: u32,
  left_stride: u32,
  right_stride: u32,
  out_stride: u32,
}

@group(0) @binding(0) var<storage, read> left: array<f32>;
@group(0) @binding(1) var<storage, read> right: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.rows * params.columns) { return; }
  var l = id.z * params.left_stride + params.left_at + i / params.columns * params.left_row;
  var r = id.z * params.right_stride + params.right_at + i % params.columns * params.right_row;
  var sum = 0.0;
  for (var k = 0u; k < params.depth; k++) {
    sum += left[l] * right[r];
    l += params.left_step;
    r += params.right_step;
  }
  out[id.z * params.out_stride + params.out_at + i] = sum;
}
