// dx = (softmax(x) - onehot(target)) upstream[0], divided by the counted rows if mean = 1: gradient of torch.nn.CrossEntropyLoss.
// x [rows, classes], labels [rows]; rows with target -100 get 0. One invocation a row.
struct Params {
  rows: u32,
  classes: u32,
  mean: u32,
  x_stride: u32,
  labels_stride: u32,
  upstream_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> labels: array<i32>;
@group(0) @binding(2) var<storage, read> upstream: array<f32>;
@group(0) @binding(3) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: f32) -> bool {
  return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u;
}

fn counted_rows(start: u32) -> f32 {
  if (params.mean == 0u) { return 1.0; }
  var counted = 0.0;
  for (var r = 0u; r < params.rows; r++) { counted += select(1.0, 0.0, labels[start + r] == -100); }
  return counted;
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y * 2097152u + id.x;
  if (row >= params.rows) { return; }
  let label = labels[id.z * params.labels_stride + row];
  let scale = select(upstream[id.z * params.upstream_stride] / counted_rows(id.z * params.labels_stride), 0.0, label == -100);
  let start = id.z * params.x_stride + row * params.classes;
  let out = id.z * params.dx_stride + row * params.classes;
  var largest = -3.4028234e38;
  var poison = 0.0; // NaN if the row has one
  for (var c = 0u; c < params.classes; c++) {
    let v = x[start + c];
    largest = max(largest, v);
    if (is_nan(v)) { poison = v; }
  }
  var sum = 0.0;
  for (var c = 0u; c < params.classes; c++) { sum += exp(x[start + c] - largest); }
  let log_sum = log(sum);
  for (var c = 0u; c < params.classes; c++) {
    let p = exp((x[start + c] - largest) - log_sum) * scale + poison;
    dx[out + c] = select(p, p - scale, i32(c) == label);
  }
}
