// dx[o, k, i] = dy[o, i] where k = index[o, i], else 0: gradient of torch.max over a dimension. dx [outer, n, inner],
// dy, index [outer, inner]. One invocation per element of dx.
struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  dy_stride: u32,
  index_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> index: array<i32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let plane = params.n * params.inner;
  if (i >= params.outer * plane) { return; }
  let j = (i / plane) * params.inner + i % params.inner;
  let k = i32(i / params.inner % params.n);
  var slope = 0.0;
  if (index[id.z * params.index_stride + j] == k) { slope = dy[id.z * params.dy_stride + j]; }
  dx[id.z * params.dx_stride + i] = slope;
}
