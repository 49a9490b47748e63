// y[o, i] = sum over k of x[o, k, i], divided by `divisor` (1 for torch.sum, n for torch.mean). x [outer, n, inner], y [outer, inner].
// One invocation an output, summing in index order.
struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  divisor: f32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.outer * params.inner) { return; }
  var j = id.z * params.x_stride + (i / params.inner) * params.n * params.inner + i % params.inner;
  var sum = 0.0;
  for (var k = 0u; k < params.n; k++) {
    sum += x[j];
    j += params.inner;
  }
  y[id.z * params.y_stride + i] = sum / params.divisor;
}
