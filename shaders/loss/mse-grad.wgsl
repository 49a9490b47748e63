// dx = 2 / divisor (x - t) upstream[0]: gradient of torch.nn.MSELoss over n elements, one an invocation.
struct Params {
  n: u32,
  divisor: f32,
  x_stride: u32,
  t_stride: u32,
  upstream_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> t: array<f32>;
@group(0) @binding(2) var<storage, read> upstream: array<f32>;
@group(0) @binding(3) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  let d = x[id.z * params.x_stride + i] - t[id.z * params.t_stride + i];
  dx[id.z * params.dx_stride + i] = (2.0 / params.divisor) * d * upstream[id.z * params.upstream_stride];
}
