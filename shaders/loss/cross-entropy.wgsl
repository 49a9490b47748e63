// Row losses of torch.nn.CrossEntropyLoss and NLLLoss: -sum over c of q_c log p_c with log p_c = x_c - max - log sum
// e^(x - max), or x_c itself for NLLLoss; q_c = w_c ((1 - smoothing) [c = label] + smoothing / classes), or with
// probabilities t_c for [c = label]; w class weights or 1. x [rows, classes], or with STRIDED = 1 [batch, classes,
// inner], a row per (batch, inner); x_4 is x, read four by four. stats keeps max, log sum and sum of q of all rows for
// the backward pass, and last what a mean divides by: the sum of w_label, or the rows for probabilities. A row with
// label ignore_index counts nowhere; another label out of range gives NaN. One invocation per row writes its loss and,
// for a mean, its weight to y; WHOLE = 1: one takes all rows and writes the loss itself, which is quicker for small
// batches.
override TARGET: u32 = 0u; // 0 labels, 1 probabilities
override LOG_PROBS: u32 = 0u; // 1: NLLLoss
override WEIGHTED: u32 = 0u;
override STRIDED: u32 = 0u;
override WHOLE: u32 = 0u;
override REDUCTION: u32 = 0u; // 0 mean, 1 sum, 2 none
override ONCE: u32 = 0u; // 1: reads a row once, with a running maximum, for GPUs that wait for memory

struct Params {
  rows: u32, classes: u32, inner: u32, ignore_index: u32, smoothing: f32,
  x_stride: u32, x_4_stride: u32, labels_stride: u32, weights_stride: u32, stats_stride: u32, y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> x_4: array<vec4f>;
@group(0) @binding(2) var<storage, read> labels: array<i32>;
@group(0) @binding(3) var<storage, read> weights: array<f32>;
@group(0) @binding(4) var<storage, read_write> stats: array<f32>;
@group(0) @binding(5) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

fn nan() -> f32 { return bitcast<f32>(0x7fc00000u | params.rows); }

fn weight(c: u32, instance: u32) -> f32 {
  if (WEIGHTED == 0u) { return 1.0; }
  return weights[instance * params.weights_stride + c];
}

// Max and log sum of a row that starts at `start` and has an element every `step`; NaN if the row has one.
fn log_sum_exp(start: u32, step: u32) -> vec2f {
  var top = vec4f(-3.4028234e38);
  var poison = 0.0;
  var sum = 0.0;
  if (ONCE == 1u) { return running_log_sum_exp(start, step); }
  if (STRIDED == 0u && params.classes % 4u == 0u) {
    let end = (start + params.classes) / 4u;
    for (var k = start / 4u; k < end; k++) {
      let v = x_4[k];
      top = max(top, v);
      if (any((bitcast<vec4u>(v) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u))) { poison = nan(); }
    }
    let largest = max(max(top.x, top.y), max(top.z, top.w));
    for (var k = start / 4u; k < end; k++) {
      let e = exp(x_4[k] - largest);
      sum = sum + e.x + e.y + e.z + e.w;
    }
    return vec2f(largest, log(sum)) + poison;
  }
  for (var c = 0u; c < params.classes; c++) {
    let v = x[start + c * step];
    top.x = max(top.x, v);
    if ((bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u) { poison = nan(); }
  }
  for (var c = 0u; c < params.classes; c++) { sum += exp(x[start + c * step] - top.x); }
  return vec2f(top.x, log(sum)) + poison;
}

// Max and log sum of a row that starts at `start` and has an element every `step`; NaN if the row has one. Where the
// maximum grows, the sum so far shrinks.
fn running_log_sum_exp(start: u32, step: u32) -> vec2f {
  var top = -3.4028234e38;
  var poison = 0.0;
  var sum = 0.0;
  let vectors = STRIDED == 0u && params.classes % 4u == 0u;
  for (var c = 0u; c < params.classes; c += select(1u, 4u, vectors)) {
    var v = vec4f(-3.4028234e38);
    if (vectors) { v = x_4[(start + c) / 4u]; } else { v.x = x[start + c * step]; }
    let larger = max(max(max(v.x, v.y), max(v.z, v.w)), top);
    if (any((bitcast<vec4u>(v) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u))) { poison = nan(); }
    let e = exp(v - larger);
    sum = sum * exp(top - larger) + e.x;
    if (vectors) { sum += e.y + e.z + e.w; }
    top = larger;
  }
  return vec2f(top, log(sum)) + poison;
}

// Loss and weight of row r.
fn row(r: u32, instance: u32) -> vec2f {
  let step = params.inner;
  let own = select(r * params.classes, (r / step) * params.classes * step + r % step, STRIDED == 1u); // within x
  let start = instance * params.x_stride + own;
  var base = vec2f(); // max, log sum
  if (LOG_PROBS == 0u) { base = log_sum_exp(start, step); }
  var loss = vec3f(0.0, 0.0, 1.0); // loss, sum of q, weight
  var spread = params.smoothing / f32(params.classes);
  if (TARGET == 0u) {
    let label = labels[instance * params.labels_stride + r];
    loss = vec3f(nan());
    if (label == bitcast<i32>(params.ignore_index)) {
      loss = vec3f();
      spread = 0.0;
    } else if (label >= 0 && u32(label) < params.classes) {
      let w = weight(u32(label), instance);
      let q = (1.0 - params.smoothing) * w;
      loss = vec3f(-q * (x[start + u32(label) * step] - base.x - base.y), q, w);
    }
  }
  if (TARGET == 1u || spread > 0.0) {
    for (var c = 0u; c < params.classes; c++) {
      var q = spread;
      if (TARGET == 1u) {
        q += bitcast<f32>(labels[instance * params.labels_stride + own + c * step]) * (1.0 - params.smoothing);
      }
      q *= weight(c, instance);
      loss += vec3f(-q * (x[start + c * step] - base.x - base.y), q, 0.0);
    }
  }
  let s = instance * params.stats_stride + r;
  stats[s] = base.x;
  stats[s + params.rows] = base.y;
  stats[s + 2u * params.rows] = loss.y;
  return loss.xz;
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let end = select(min(i + 1u, params.rows), select(params.rows, 0u, i > 0u), WHOLE == 1u);
  let out = id.z * params.y_stride;
  let last = id.z * params.stats_stride + 3u * params.rows;
  var total = vec2f();
  for (var r = i; r < end; r++) { total += row(r, id.z); }
  if (i >= end) { return; }
  if (WHOLE == 1u) {
    let divisor = select(1.0, total.y, REDUCTION == 0u);
    stats[last] = divisor;
    y[out] = total.x / divisor;
  } else {
    y[out + i] = total.x;
    if (REDUCTION == 0u) { y[out + params.rows + i] = total.y; } // loss/mean will write the divisor
    if (REDUCTION > 0u && i == 0u) { stats[last] = 1.0; }
  }
}
