// y[o, i] = sum over k of (x[o, k, i] - mean)^2 / divisor, and the mean: torch.var (divisor n - 1, or n when not
// unbiased). x [outer, n, inner], y and mean [outer, inner]. One invocation per output, in two passes over its n
// elements.
struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  divisor: f32,
  x_stride: u32,
  y_stride: u32,
  mean_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> mean: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.outer * params.inner) { return; }
  let start = id.z * params.x_stride + (i / params.inner) * params.n * params.inner + i % params.inner;
  let end = start + params.n * params.inner;
  var sum = 0.0;
  for (var j = start; j < end; j += params.inner) { sum += x[j]; }
  let center = sum / f32(params.n);
  var squares = 0.0;
  for (var j = start; j < end; j += params.inner) {
    let d = x[j] - center;
    squares += d * d;
  }
  y[id.z * params.y_stride + i] = squares / params.divisor;
  mean[id.z * params.mean_stride + i] = center;
}
