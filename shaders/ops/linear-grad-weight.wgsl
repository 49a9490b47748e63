// dW = dy^T x: gradient of torch.nn.functional.linear(bias=None) with respect to its weight, for layers with few
// multiply-adds. x [batch, in_features], dy [batch, out_features], dw [out_features, in_features]. One invocation
// computes one element of dw: the sum over the batch in order, in one accumulator.
struct Params {
  batch: u32,
  in_features: u32,
  out_features: u32,
  x_stride: u32,
  dy_stride: u32,
  dw_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> dw: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.out_features * params.in_features) { return; }
  var d = id.z * params.dy_stride + i / params.in_features;
  var s = id.z * params.x_stride + i % params.in_features;
  var sum = 0.0;
  for (var k = 0u; k < params.batch; k++) {
    sum += dy[d] * x[s];
    d += params.out_features;
    s += params.in_features;
  }
  dw[id.z * params.dw_stride + i] = sum;
}
