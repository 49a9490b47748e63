// dx = dy[0] / ties[0] where x is the maximum y[0] (or both are NaN), else 0: gradient of torch.max over all elements.
// x, dx [n]. One invocation per element.
struct Params {
  n: u32,
  dy_stride: u32,
  x_stride: u32,
  y_stride: u32,
  ties_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read> ties: array<i32>;
@group(0) @binding(4) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  let v = x[id.z * params.x_stride + i];
  let largest = y[id.z * params.y_stride];
  let share = dy[id.z * params.dy_stride] / f32(ties[id.z * params.ties_stride]);
  let nans = is_nan(v) && is_nan(largest);
  dx[id.z * params.dx_stride + i] = select(0.0, share, nans || (v == largest && !is_nan(largest)));
}
