// As ops/linear-backward for a first layer, whose input needs no gradient: g = dy act'(y), dw = g^T x, db = sum of g
// over the batch. x [batch, in_features]; y, dy [batch, out_features]; dw [out_features, in_features]; db
// [out_features]. One invocation computes four neighbours of a row of dw, and the first of a row its db.
override ACTIVATION: u32 = 0u; // 0 none, 1 relu, 2 tanh, 3 sigmoid
override WIDTH: u32 = 32u;
override DEPTH: u32 = 1u; // instances per workgroup

struct Params {
  batch: u32,
  in_features: u32,
  out_features: u32,
  dy_stride: u32,
  y_stride: u32,
  x_stride: u32,
  dw_stride: u32,
  db_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> dw: array<f32>;
@group(0) @binding(4) var<storage, read_write> db: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

fn g(z: u32, i: u32) -> f32 {
  let d = dy[z * params.dy_stride + i];
  if (ACTIVATION == 0u) { return d; }
  let v = y[z * params.y_stride + i];
  if (ACTIVATION == 1u) { return select(d, 0.0, v <= 0.0); }
  if (ACTIVATION == 2u) { return d * (1.0 - v * v); }
  return d * (1.0 - v) * v;
}

@compute @workgroup_size(WIDTH, 1, DEPTH)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let width = (params.in_features + 3u) / 4u;
  if (id.x >= params.out_features * width) { return; }
  let first = id.x % width * 4u;
  let output = id.x / width;
  var s = id.z * params.x_stride + first;
  var d = output;
  var bias = 0.0;
  var sum = vec4f();
  for (var k = 0u; k < params.batch; k++) {
    let slope = g(id.z, d);
    bias += slope;
    sum += slope * vec4f(x[s], x[s + 1u], x[s + 2u], x[s + 3u]);
    d += params.out_features;
    s += params.in_features;
  }
  let to = id.z * params.dw_stride + output * params.in_features + first;
  for (var c = 0u; c < min(4u, params.in_features - first); c++) { dw[to + c] = sum[c]; }
  if (first == 0u) { db[id.z * params.db_stride + output] = bias; }
}
