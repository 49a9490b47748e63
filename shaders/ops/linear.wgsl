// y = x W^T + b: torch.nn.functional.linear, for layers with few multiply-adds. x [batch, in_features], weight
// [out_features, in_features], bias [out_features], y [batch, out_features]. One invocation computes 2 x 2 neighbours
// of y, each as one sum over k in order, then the bias: half the loads of one element per invocation. Workgroups of 32
// (id.y counts 32,768 of them): few are at work, and a software adapter pays for each invocation. No barriers.
// `ops/matmul-tiled` computes the same bits faster where there is much to do.
override HAS_BIAS: u32 = 1u;
override ACTIVATION: u32 = 0u; // 0 none, 1 relu, 2 tanh, 3 sigmoid
override WIDTH: u32 = 32u;
override DEPTH: u32 = 1u; // instances per workgroup

struct Params {
  batch: u32,
  in_features: u32,
  out_features: u32,
  x_stride: u32,
  weight_stride: u32,
  bias_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

fn activated(v: f32) -> f32 {
  if (ACTIVATION == 1u) { return select(v, 0.0, v <= 0.0); }
  if (ACTIVATION == 2u) { return tanh_or_nan(v); }
  if (ACTIVATION == 3u) { return select(1.0 / (1.0 + exp(-v)), v, is_nan(v)); }
  return v;
}

// The builtin may be off by 1e-5: a series near 0, exp elsewhere. 9 is where float32 tanh is 1.
fn tanh_or_nan(v: f32) -> f32 {
  let q = v * v;
  if (q < 0.09) { return v * (1.0 + q * (-0.33333334 + q * (0.13333334 + q * (-0.05396825 + q * 0.021869488)))); }
  let t = 1.0 - 2.0 / (exp(2.0 * min(abs(v), 9.0)) + 1.0);
  return select(select(t, -t, v < 0.0), v, is_nan(v));
}

@compute @workgroup_size(WIDTH, 1, DEPTH)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 1048576u + id.x;
  let width = (params.out_features + 1u) / 2u;
  if (i >= (params.batch + 1u) / 2u * width) { return; }
  let row = i / width * 2u;
  let column = i % width * 2u;
  let n = params.in_features;
  var x_at = id.z * params.x_stride + row * n;
  var w_at = id.z * params.weight_stride + column * n;
  // (row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1). Past the edges they take what follows
  // there, and nobody keeps it.
  var sum = vec4f();
  for (var k = 0u; k < n; k++) {
    let a = vec2f(x[x_at], x[x_at + n]);
    let b = vec2f(weight[w_at], weight[w_at + n]);
    sum += a.xxyy * b.xyxy;
    x_at++;
    w_at++;
  }
  for (var e = 0u; e < 4u; e++) {
    let r = row + e / 2u;
    let c = column + e % 2u;
    if (r >= params.batch || c >= params.out_features) { continue; }
    var v = sum[e];
    if (HAS_BIAS == 1u) { v += bias[id.z * params.bias_stride + c]; }
    y[id.z * params.y_stride + r * params.out_features + c] = activated(v);
  }
}
