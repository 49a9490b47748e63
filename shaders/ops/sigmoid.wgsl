// y = 1 / (1 + e^-x): torch.sigmoid over n elements, one an invocation. Below -88 e^-x is infinite and y is 0, which is right.
struct Params {
  n: u32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  y[id.z * params.y_stride + i] = 1.0 / (1.0 + exp(-x[id.z * params.x_stride + i]));
}
