// dx = (q_sum p_c - q_c) upstream / divisor: gradient of loss/cross-entropy, with q and the layout as there and p_c =
// e^((x_c - max) - log sum) from what the forward pass kept in stats; for NLLLoss dx = -q_c upstream / divisor.
// upstream is one number, or one per row for reduction 'none'. One invocation takes four neighbours in memory.
override TARGET: u32 = 0u; // 0 labels, 1 probabilities
override LOG_PROBS: u32 = 0u; // 1: NLLLoss
override WEIGHTED: u32 = 0u;
override STRIDED: u32 = 0u;
override REDUCTION: u32 = 0u; // 0 mean, 1 sum, 2 none
override KEEP: u32 = 0u; // 1: read less; a branch, which costs software adapters more than the loads

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

// q of class c, for the logit that is element i of x, in a row with that label.
fn target_share(i: u32, c: u32, label: i32, instance: u32) -> f32 {
  let spread = params.smoothing / f32(params.classes);
  let kept = 1.0 - params.smoothing;
  if (TARGET == 1u) {
    return (bitcast<f32>(labels[instance * params.labels_stride + i]) * kept + spread) * weight(c, instance);
  }
  if (label == bitcast<i32>(params.ignore_index)) { return 0.0; }
  return (select(0.0, kept, label == i32(c)) + spread) * weight(c, instance);
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let first = (id.y * 2097152u + id.x) * 4u;
  if (first >= params.n) { return; }
  let v = x[(id.z * params.x_stride + first) / 4u];
  let s = id.z * params.stats_stride;
  var divisor = 1.0;
  if (REDUCTION == 0u) { divisor = stats[s + 3u * params.rows]; }
  var slopes = v;
  // Of the row that the element before belongs to: with KEEP they are read again only where a row begins.
  var row = 0xffffffffu;
  var label = 0;
  var scale = 0.0;
  var kept = vec3f(); // max, log sum and sum of q
  for (var k = 0u; k < 4u; k++) {
    let i = min(first + k, params.n - 1u);
    var r = i / params.classes;
    var c = i - r * params.classes;
    if (STRIDED == 1u) {
      c = i / params.inner % params.classes;
      r = i / (params.classes * params.inner) * params.inner + i % params.inner;
    }
    if (KEEP == 0u || r != row) {
      row = r;
      if (TARGET == 0u) { label = labels[id.z * params.labels_stride + r]; }
      scale = upstream[id.z * params.upstream_stride + select(0u, r, REDUCTION == 2u)] / divisor;
      if (LOG_PROBS == 0u) { kept = vec3f(stats[s + r], stats[s + params.rows + r], stats[s + 2u * params.rows + r]); }
    }
    let q = target_share(i, c, label, id.z);
    var slope = -q * scale;
    if (LOG_PROBS == 0u) {
      let p = exp((v[k] - kept.x) - kept.y) * kept.z;
      // By its bits: exp(NaN) may be finite.
      slope = select(p * scale - q * scale, kept.x, (bitcast<u32>(kept.x) & 0x7fffffffu) > 0x7f800000u);
    }
    slopes[k] = slope;
  }
  dx[(id.z * params.dx_stride + first) / 4u] = slopes;
}
