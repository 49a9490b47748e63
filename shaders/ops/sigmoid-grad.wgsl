// dx = dy (1 - y) y: gradient of torch.sigmoid from its output y, over n elements, one an invocation.
struct Params {
  n: u32,
  dy_stride: u32,
  y_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  let v = y[id.z * params.y_stride + i];
  dx[id.z * params.dx_stride + i] = dy[id.z * params.dy_stride + i] * (1.0 - v) * v;
}
