// y = tanh(x): torch.tanh over n elements, one an invocation. WGSL's builtin may be off by 1e-5, which a training run shows;
// this is within 2e-7: a series near 0, where 1 - 2 / (e^2x + 1) would cancel, and that formula elsewhere.
struct Params {
  n: u32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: f32) -> bool {
  return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u;
}

// From 9 on float32 tanh is 1, and exp stays far from overflow.
fn tanh_accurate(v: f32) -> f32 {
  let q = v * v;
  if (q < 0.09) { return v * (1.0 + q * (-0.33333334 + q * (0.13333334 + q * (-0.05396825 + q * 0.021869488)))); }
  let t = 1.0 - 2.0 / (exp(2.0 * min(abs(v), 9.0)) + 1.0);
  return select(select(t, -t, v < 0.0), v, is_nan(v));
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  y[id.z * params.y_stride + i] = tanh_accurate(x[id.z * params.x_stride + i]);
}
