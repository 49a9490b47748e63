// dx = dy W: gradient of torch.nn.functional.linear with respect to its input, for layers with few multiply-adds.
// dy [batch, out_features], weight [out_features, in_features], dx [batch, in_features].
// One invocation computes one element of dx: the sum over the output features in order, in one accumulator. No barriers.
struct Params {
  batch: u32,
  in_features: u32,
  out_features: u32,
  dy_stride: u32,
  weight_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.batch * params.in_features) { return; }
  let dy_start = id.z * params.dy_stride + (i / params.in_features) * params.out_features;
  var w = id.z * params.weight_stride + i % params.in_features;
  var sum = 0.0;
  for (var k = 0u; k < params.out_features; k++) {
    sum += dy[dy_start + k] * weight[w];
    w += params.in_features;
  }
  dx[id.z * params.dx_stride + i] = sum;
}
