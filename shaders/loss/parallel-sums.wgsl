// Of each row, a rank's addends of two sums over all classes: of e^(x - max), where max is the largest logit of the
// whole row, and of the label's logit less max, which is 0 unless the label is among the rank's classes. `own_labels`
// are the labels counted from the rank's first class, and -2^31 for ignore_index. x [rows, classes]; labels, max, exps,
// logits, own_labels [rows]. One invocation per row.
struct Params {
  rows: u32,
  classes: u32,
  first: u32,
  ignore_index: u32,
  x_stride: u32,
  labels_stride: u32,
  largest_stride: u32,
  exps_stride: u32,
  logits_stride: u32,
  own_labels_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> labels: array<i32>;
@group(0) @binding(2) var<storage, read> largest: array<f32>;
@group(0) @binding(3) var<storage, read_write> exps: array<f32>;
@group(0) @binding(4) var<storage, read_write> logits: array<f32>;
@group(0) @binding(5) var<storage, read_write> own_labels: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: exp(NaN) may be finite.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y * 2097152u + id.x;
  if (row >= params.rows) { return; }
  let start = id.z * params.x_stride + row * params.classes;
  let top = largest[id.z * params.largest_stride + row];
  var sum = 0.0;
  for (var c = 0u; c < params.classes; c++) {
    let v = x[start + c] - top;
    sum += select(exp(v), v, is_nan(v));
  }
  exps[id.z * params.exps_stride + row] = sum;
  let given = labels[id.z * params.labels_stride + row];
  let ignored = given == bitcast<i32>(params.ignore_index);
  let label = select(given - i32(params.first), bitcast<i32>(0x80000000u), ignored);
  var logit = 0.0;
  if (label >= 0 && label < i32(params.classes)) { logit = x[start + u32(label)] - top; }
  logits[id.z * params.logits_stride + row] = logit;
  own_labels[id.z * params.own_labels_stride + row] = label;
}
