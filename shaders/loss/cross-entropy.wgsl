// loss[0] = sum over rows of log sum exp(x) - x[target], divided by the counted rows if mean = 1: torch.nn.CrossEntropyLoss
// with class indices. x [rows, classes], target [rows]; target -100 is not counted, another one out of range makes the loss NaN.
// LANES = 1: one invocation sums row by row in order, which beats a tree where a batch is small. LANES = 64: each invocation of the
// workgroup takes every 64th row, and the first adds up the partial sums.
override LANES: u32 = 1u;

struct Params {
  rows: u32,
  classes: u32,
  mean: u32,
  x_stride: u32,
  labels_stride: u32,
  loss_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> labels: array<i32>;
@group(0) @binding(2) var<storage, read_write> loss: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: f32) -> bool {
  return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u;
}

var<workgroup> partial: array<vec2f, 64>; // total, counted rows

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var sums = vec2f(); // total, counted rows
  for (var r = id.x; r < params.rows && id.x < LANES; r += LANES) {
    let label = labels[id.z * params.labels_stride + r];
    if (label == -100) { continue; }
    let start = id.z * params.x_stride + r * params.classes;
    var largest = -3.4028234e38;
    var poison = 0.0; // NaN if the row has one
    for (var c = 0u; c < params.classes; c++) {
      let v = x[start + c];
      largest = max(largest, v);
      if (is_nan(v)) { poison = v; }
    }
    var sum = 0.0;
    for (var c = 0u; c < params.classes; c++) { sum += exp(x[start + c] - largest); }
    var picked = 0.0;
    if (label >= 0 && u32(label) < params.classes) {
      picked = (x[start + u32(label)] - largest) - log(sum) + poison;
    } else {
      picked = bitcast<f32>(0x7fc00000u | params.rows);
    }
    sums += vec2f(-picked, 1.0);
  }
  if (LANES > 1u) {
    partial[id.x] = sums;
    workgroupBarrier();
  }
  if (id.x > 0u) { return; }
  for (var lane = 1u; lane < LANES; lane++) { sums += partial[lane]; }
  loss[id.z * params.loss_stride] = select(sums.x, sums.x / sums.y, params.mean == 1u);
}
