// dx = (q_sum p_c - q_c) upstream / divisor: gradient of loss/cross-entropy, with q and the layout as there and p_c = e^((x_c - max) - log sum) from what
// the forward pass kept in stats; for NLLLoss dx = -q_c upstream / divisor. upstream is one number, or one a row for reduction 'none'. One invocation
// takes four neighbours in memory.
override TARGET: u32 = 0u; // 0 labels, 1 probabilities
override LOG_PROBS: u32 = 0u; // 1: NLLLoss
override WEIGHTED: u32 = 0u;
override STRIDED: u32 = 0u;
override REDUCTION: u32 = 0u; // 0 mean, 1 sum, 2 none

struct Params {
  n: u32,
  rows: u32,
  classes: u32,
  inner: u32,
  ignore_index: u32,
  smoothing: f32,
  x_stride: u32,
  labels_stride: u32,
  weights_stride: u32,
  upstream_stride: u32,
  stats_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> labels: array<i32>;
@group(0) @binding(2) var<storage, read> weights: array<f32>;
@group(0) @binding(3) var<storage, read> upstream: array<f32>;
@group(0) @binding(4) var<storage, read> stats: array<f32>;
@group(0) @binding(5) var<storage, read_write> dx: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

fn weight(c: u32, instance: u32) -> f32 {
  if (WEIGHTED == 0u) { return 1.0; }
  return weights[instance * params.weights_stride + c];
}

// q of class c in row r, whose logit is element i of x.
fn target_share(i: u32, r: u32, c: u32, instance: u32) -> f32 {
  let spread = params.smoothing / f32(params.classes);
  let start = instance * params.labels_stride;
  if (TARGET == 1u) {
    return (bitcast<f32>(labels[start + i]) * (1.0 - params.smoothing) + spread) * weight(c, instance);
  }
  let label = labels[start + r];
  if (label == bitcast<i32>(params.ignore_index)) { return 0.0; }
  return (select(0.0, 1.0 - params.smoothing, label == i32(c)) + spread) * weight(c, instance);
}

fn slope(i: u32, v: f32, instance: u32) -> f32 {
  if (i >= params.n) { return 0.0; }
  var r = i / params.classes;
  var c = i % params.classes;
  if (STRIDED == 1u) {
    r = i / (params.classes * params.inner) * params.inner + i % params.inner;
    c = i / params.inner % params.classes;
  }
  let s = instance * params.stats_stride;
  var scale = upstream[instance * params.upstream_stride + select(0u, r, REDUCTION == 2u)];
  if (REDUCTION == 0u) { scale /= stats[s + 3u * params.rows]; }
  let q = target_share(i, r, c, instance);
  if (LOG_PROBS == 1u) { return -q * scale; }
  let largest = stats[s + r];
  // By its bits: exp(NaN) may be finite.
  if ((bitcast<u32>(largest) & 0x7fffffffu) > 0x7f800000u) { return largest; }
  return exp((v - largest) - stats[s + params.rows + r]) * stats[s + 2u * params.rows + r] * scale - q * scale;
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let k = id.y * 2097152u + id.x;
  let i = k * 4u;
  if (i >= params.n) { return; }
  let v = x[id.z * params.x_stride / 4u + k];
  dx[id.z * params.dx_stride / 4u + k] =
    vec4f(slope(i, v.x, id.z), slope(i + 1u, v.y, id.z), slope(i + 2u, v.z, id.z), slope(i + 3u, v.w, id.z));
}
