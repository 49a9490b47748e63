// y = e^(x - max) / sum e^(x - max) over the last dimension: torch.softmax(x, -1). x, y [rows, classes]. One invocation a row.
struct Params {
  rows: u32,
  classes: u32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: f32) -> bool {
  return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u;
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y * 2097152u + id.x;
  if (row >= params.rows) { return; }
  let start = id.z * params.x_stride + row * params.classes;
  let out = id.z * params.y_stride + row * params.classes;
  var largest = -3.4028234e38;
  var poison = 0.0; // NaN if the row has one
  for (var c = 0u; c < params.classes; c++) {
    let v = x[start + c];
    largest = max(largest, v);
    if (is_nan(v)) { poison = v; }
  }
  var sum = poison;
  for (var c = 0u; c < params.classes; c++) {
    let e = exp(x[start + c] - largest);
    y[out + c] = e;
    sum += e;
  }
  for (var c = 0u; c < params.classes; c++) { y[out + c] = y[out + c] / sum; }
}
