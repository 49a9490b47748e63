// dW = dy^T x, db = sum of dy over the batch: gradients of torch.nn.functional.linear with respect to weight and bias,
// for layers with few multiply-adds. x [batch, in_features], dy [batch, out_features], dw [out_features, in_features], db [out_features].
// One invocation computes one element of dw, or (the last out_features of them) of db: the sum over the batch in order.
struct Params {
  batch: u32,
  in_features: u32,
  out_features: u32,
  x_stride: u32,
  dy_stride: u32,
  dw_stride: u32,
  db_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> dw: array<f32>;
@group(0) @binding(3) var<storage, read_write> db: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let weights = params.out_features * params.in_features;
  if (i >= weights + params.out_features) { return; }
  let of_bias = i >= weights;
  let o = select(i / params.in_features, i - weights, of_bias);
  var d = id.z * params.dy_stride + o;
  var sum = 0.0;
  if (of_bias) {
    for (var k = 0u; k < params.batch; k++) {
      sum += dy[d];
      d += params.out_features;
    }
    db[id.z * params.db_stride + o] = sum;
    return;
  }
  var s = id.z * params.x_stride + i % params.in_features;
  for (var k = 0u; k < params.batch; k++) {
    sum += dy[d] * x[s];
    d += params.out_features;
    s += params.in_features;
  }
  dw[id.z * params.dw_stride + i] = sum;
}
