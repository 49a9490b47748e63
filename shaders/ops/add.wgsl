// y = a + b: torch.add over n elements, one an invocation. b has `period` elements and repeats (a bias repeats over the rows).
struct Params {
  n: u32,
  period: u32,
  a_stride: u32,
  b_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  y[id.z * params.y_stride + i] = a[id.z * params.a_stride + i] + b[id.z * params.b_stride + i % params.period];
}
