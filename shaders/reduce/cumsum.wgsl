// y[o, k, i] = x[o, 0, i] + ... + x[o, k, i]: torch.cumsum; with REVERSE x[o, k, i] + ... + x[o, n - 1, i], its
// gradient. x, y [outer, n, inner]. One invocation per line, in order.
override REVERSE: u32 = 0u;

struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let line = id.y * 2097152u + id.x;
  if (line >= params.outer * params.inner) { return; }
  let start = (line / params.inner) * params.n * params.inner + line % params.inner;
  var sum = 0.0;
  for (var k = 0u; k < params.n; k++) {
    let j = start + select(k, params.n - 1u - k, REVERSE == 1u) * params.inner;
    sum += x[id.z * params.x_stride + j];
    y[id.z * params.y_stride + j] = sum;
  }
}
