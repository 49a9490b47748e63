// dx[o, k, i] = dy[o, i] / divisor: gradient of torch.sum (divisor 1) and torch.mean (divisor n). dy [outer, inner], dx
// [outer, n, inner]. One invocation per element of dx.
struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  divisor: f32,
  dy_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let plane = params.n * params.inner;
  if (i >= params.outer * plane) { return; }
  let j = (i / plane) * params.inner + i % params.inner;
  dx[id.z * params.dx_stride + i] = dy[id.z * params.dy_stride + j] / params.divisor;
}
