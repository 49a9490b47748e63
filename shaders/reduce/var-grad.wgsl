// dx[o, k, i] = dy[o, i] 2 / divisor (x[o, k, i] - mean[o, i]): gradient of torch.var. x, dx [outer, n, inner], dy,
// mean [outer, inner]. One invocation per element of dx.
struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  divisor: f32,
  dy_stride: u32,
  x_stride: u32,
  mean_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> mean: array<f32>;
@group(0) @binding(3) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let plane = params.n * params.inner;
  if (i >= params.outer * plane) { return; }
  let j = (i / plane) * params.inner + i % params.inner;
  let slope = 2.0 / params.divisor * dy[id.z * params.dy_stride + j];
  dx[id.z * params.dx_stride + i] = slope * (x[id.z * params.x_stride + i] - mean[id.z * params.mean_stride + j]);
}
