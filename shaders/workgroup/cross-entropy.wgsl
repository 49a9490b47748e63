// loss/cross-entropy with WHOLE = 1 for GPUs with fast workgroup memory (torch.nn.CrossEntropyLoss and NLLLoss of a
// small batch): row losses, stats and the loss itself in one launch; formulas and tensors as there. Why: one invocation
// waits for every number of every row. One workgroup, one row per lane, then a tree over the lanes.
override TARGET: u32 = 0u; // 0 labels, 1 probabilities
override LOG_PROBS: u32 = 0u; // 1: NLLLoss
override WEIGHTED: u32 = 0u;
override STRIDED: u32 = 0u;
override REDUCTION: u32 = 0u; // 0 mean, 1 sum

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
  if (LOG_PROBS == 0u) { base = running_log_sum_exp(start, step); }
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

alias Sum = vec2f;
var<workgroup> sums: array<vec2f, 256>;

// The sum over each `lanes` neighbours, or over every `step`-th of them, in one order (helpers/lane-sum).
fn lane_sum(lane: u32, lanes: u32, step: u32, own: Sum) -> Sum {
  workgroupBarrier();
  sums[lane] = own;
  for (var half = lanes / 2u; half >= step; half /= 2u) {
    workgroupBarrier();
    if (lane % lanes < half) { sums[lane] += sums[lane + half]; }
  }
  workgroupBarrier();
  return sums[lane - lane % lanes + lane % step];
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  var own = vec2f();
  for (var r = lane; r < params.rows; r += 256u) { own += row(r, group.z); }
  let total = lane_sum(lane, 256u, 1u, own);
  if (lane > 0u) { return; }
  let divisor = select(1.0, total.y, REDUCTION == 0u);
  stats[group.z * params.stats_stride + 3u * params.rows] = divisor;
  y[group.z * params.y_stride] = total.x / divisor;
}
