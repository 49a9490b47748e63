// loss[0] = sum over rows of log sum exp(x) - x[target], divided by the counted rows if mean = 1: torch.nn.CrossEntropyLoss
// with class indices. x [rows, classes], target [rows]; target -100 is not counted, another one out of range makes the loss NaN.
// One invocation sums row by row in order: batches are small.
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

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x > 0u) { return; }
  let lowest = -3.4028234e38;
  var total = 0.0;
  var counted = 0.0;
  for (var r = 0u; r < params.rows; r++) {
    let label = labels[id.z * params.labels_stride + r];
    if (label == -100) { continue; }
    let start = id.z * params.x_stride + r * params.classes;
    var largest = lowest;
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
    total -= picked;
    counted += 1.0;
  }
  loss[id.z * params.loss_stride] = select(total, total / counted, params.mean == 1u);
}
