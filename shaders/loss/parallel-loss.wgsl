// Cross-entropy from sums over all classes: of each row log(sum of e^(x - max)) - (logit of the label - max), summed or
// averaged over the rows whose label is not ignore_index. labels, max, exps, logits [rows]; loss [1]; stats [3 rows +
// 1] as loss/cross-entropy leaves them: max, log sum and weight of each row, and last the divisor. A label outside the
// classes gives NaN. One workgroup: each invocation adds up every 64th row, then the first adds up the 64 sums.
override REDUCTION: u32 = 0u; // 0 mean, 1 sum

struct Params {
  rows: u32,
  classes: u32,
  ignore_index: u32,
  labels_stride: u32,
  largest_stride: u32,
  exps_stride: u32,
  logits_stride: u32,
  loss_stride: u32,
  stats_stride: u32,
}

@group(0) @binding(0) var<storage, read> labels: array<i32>;
@group(0) @binding(1) var<storage, read> largest: array<f32>;
@group(0) @binding(2) var<storage, read> exps: array<f32>;
@group(0) @binding(3) var<storage, read> logits: array<f32>;
@group(0) @binding(4) var<storage, read_write> loss: array<f32>;
@group(0) @binding(5) var<storage, read_write> stats: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

var<workgroup> sums: array<vec2f, 64>; // losses and weights

// By its bits: log(NaN) may be finite.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
  let instance = group.z;
  let s = instance * params.stats_stride;
  var own = vec2f();
  for (var r = lane; r < params.rows; r += 64u) {
    let sum = exps[instance * params.exps_stride + r];
    let log_sum = select(log(sum), sum, is_nan(sum));
    let label = labels[instance * params.labels_stride + r];
    let counts = label != bitcast<i32>(params.ignore_index);
    let weight = select(0.0, 1.0, counts);
    var term = log_sum - logits[instance * params.logits_stride + r];
    if (label < 0 || label >= i32(params.classes)) { term = bitcast<f32>(0x7fc00000u | params.rows); }
    if (counts) { own += vec2f(term, 1.0); }
    stats[s + r] = largest[instance * params.largest_stride + r];
    stats[s + params.rows + r] = log_sum;
    stats[s + 2u * params.rows + r] = weight;
  }
  sums[lane] = own;
  workgroupBarrier();
  if (lane > 0u) { return; }
  var total = vec2f();
  for (var k = 0u; k < 64u; k++) { total += sums[k]; }
  let divisor = select(1.0, total.y, REDUCTION == 0u);
  stats[s + 3u * params.rows] = divisor;
  loss[instance * params.loss_stride] = total.x / divisor;
}
