// y = e^(x - max) / sum e^(x - max) over one dimension: torch.softmax(x, dim). x, y [outer, classes,
// inner], rows = outer * inner. One invocation per row.
struct Params {
  rows: u32,
  classes: u32,
  inner: u32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y * 2097152u + id.x;
  if (row >= params.rows) { return; }
  let first = (row / params.inner) * params.classes * params.inner + row % params.inner;
  let size = params.classes * params.inner;
  let start = id.z * params.x_stride + first;
  let out = id.z * params.y_stride + first;
  var largest = -3.4028234e38;
  var poison = 0.0; // NaN if the row has one
  for (var c = 0u; c < size; c += params.inner) {
    let v = x[start + c];
    largest = max(largest, v);
    if (is_nan(v)) { poison = v; }
  }
  var sum = poison;
  for (var c = 0u; c < size; c += params.inner) {
    let e = exp(x[start + c] - largest);
    y[out + c] = e;
    sum += e;
  }
  for (var c = 0u; c < size; c += params.inner) { y[out + c] = y[out + c] / sum; }
}
