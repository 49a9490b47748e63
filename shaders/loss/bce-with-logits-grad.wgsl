// dx = (sigmoid(x) - t) upstream[0] / divisor: gradient of torch.nn.BCEWithLogitsLoss over n elements, one an invocation.
// For x below -88 e^-x is infinite and the sigmoid 0, which is right.
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

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: f32) -> bool {
  return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u;
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  let v = x[id.z * params.x_stride + i];
  let s = select(1.0 / (1.0 + exp(-v)), v, is_nan(v));
  let d = (s - t[id.z * params.t_stride + i]) * upstream[id.z * params.upstream_stride];
  dx[id.z * params.dx_stride + i] = d / params.divisor;
}
