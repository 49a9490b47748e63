// dW = dy^T x, db = sum of dy over the batch: gradients of torch.nn.functional.linear with respect to weight and bias,
// for layers with few multiply-adds. x [batch, in_features], dy [batch, out_features], dw [out_features, in_features],
// db [out_features]. One invocation computes four neighbours of a row of dw, the first of a row also its element of db:
// each one sum over the batch in order, and dy is read once for all of them. No barriers.
override WIDTH: u32 = 32u;
override DEPTH: u32 = 1u; // instances per workgroup

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

@compute @workgroup_size(WIDTH, 1, DEPTH)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 1048576u + id.x;
  let width = (params.in_features + 3u) / 4u;
  if (i >= params.out_features * width) { return; }
  let output = i / width;
  let first = i % width * 4u;
  var s = id.z * params.x_stride + first;
  var d = id.z * params.dy_stride + output;
  var bias = 0.0;
  // Past the end of a row the four take what follows there, and nobody keeps it.
  var sum = vec4f();
  for (var k = 0u; k < params.batch; k++) {
    let g = dy[d];
    bias += g;
    sum += g * vec4f(x[s], x[s + 1u], x[s + 2u], x[s + 3u]);
    d += params.out_features;
    s += params.in_features;
  }
  let to = id.z * params.dw_stride + output * params.in_features + first;
  for (var c = 0u; c < min(4u, params.in_features - first); c++) { dw[to + c] = sum[c]; }
  if (first == 0u) { db[id.z * params.db_stride + output] = bias; }
}
