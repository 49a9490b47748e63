// Backward of y = act(x W^T + b) (torch.nn.functional.linear and an activation) for layers with few multiply-adds, all in one dispatch:
// g = dy act'(y), dw = g^T x, db = sum of g over the batch, dx = g W. x, dx [batch, in_features]; y, dy [batch, out_features];
// weight, dw [out_features, in_features]; db [out_features]. One invocation computes one element: first those of dw, then of db, then of dx,
// each as one sum in order; g is computed where it is needed, because a dispatch of its own would cost more. No barriers.
override ACTIVATION: u32 = 0u; // 0 none, 1 relu, 2 tanh, 3 sigmoid

struct Params {
  batch: u32,
  in_features: u32,
  out_features: u32,
  dy_stride: u32,
  y_stride: u32,
  x_stride: u32,
  weight_stride: u32,
  dw_stride: u32,
  db_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> weight: array<f32>;
@group(0) @binding(4) var<storage, read_write> dw: array<f32>;
@group(0) @binding(5) var<storage, read_write> db: array<f32>;
@group(0) @binding(6) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

fn g(z: u32, i: u32) -> f32 {
  let d = dy[z * params.dy_stride + i];
  if (ACTIVATION == 0u) { return d; }
  let v = y[z * params.y_stride + i];
  if (ACTIVATION == 1u) { return select(d, 0.0, v <= 0.0); }
  if (ACTIVATION == 2u) { return d * (1.0 - v * v); }
  return d * (1.0 - v) * v;
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let weights = params.out_features * params.in_features;
  let of_params = weights + params.out_features;
  if (i >= of_params + params.batch * params.in_features) { return; }
  var sum = 0.0;
  if (i < weights) {
    var s = id.z * params.x_stride + i % params.in_features;
    var d = i / params.in_features;
    for (var k = 0u; k < params.batch; k++) {
      sum += g(id.z, d) * x[s];
      d += params.out_features;
      s += params.in_features;
    }
    dw[id.z * params.dw_stride + i] = sum;
  } else if (i < of_params) {
    var d = i - weights;
    for (var k = 0u; k < params.batch; k++) {
      sum += g(id.z, d);
      d += params.out_features;
    }
    db[id.z * params.db_stride + i - weights] = sum;
  } else {
    let j = i - of_params;
    let row = (j / params.in_features) * params.out_features;
    var w = id.z * params.weight_stride + j % params.in_features;
    for (var k = 0u; k < params.out_features; k++) {
      sum += g(id.z, row + k) * weight[w];
      w += params.in_features;
    }
    dx[id.z * params.dx_stride + j] = sum;
  }
}
