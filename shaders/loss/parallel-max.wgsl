// The largest logit of each row among a rank's classes: first part of a cross-entropy over classes that are cut. x
// [rows, classes], y [rows]. NaN if the row has one. One invocation per row.
struct Params {
  rows: u32,
  classes: u32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y * 2097152u + id.x;
  if (row >= params.rows) { return; }
  let start = id.z * params.x_stride + row * params.classes;
  var largest = x[start];
  for (var c = 1u; c < params.classes; c++) {
    let v = x[start + c];
    if (is_nan(v) || (v > largest && !is_nan(largest))) { largest = v; }
  }
  y[id.z * params.y_stride + row] = largest;
}
