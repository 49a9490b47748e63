// dx[o, k, i] = dy[o, i] e^(x[o, k, i] - y[o, i]): gradient of torch.logsumexp from its output y. x, dx [outer, n,
// inner], dy, y [outer, inner]. One invocation per element of dx.
struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  dy_stride: u32,
  x_stride: u32,
  y_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let plane = params.n * params.inner;
  if (i >= params.outer * plane) { return; }
  let j = (i / plane) * params.inner + i % params.inner;
  let t = x[id.z * params.x_stride + i] - y[id.z * params.y_stride + j];
  dx[id.z * params.dx_stride + i] = dy[id.z * params.dy_stride + j] * select(exp(t), t, is_nan(t));
}
