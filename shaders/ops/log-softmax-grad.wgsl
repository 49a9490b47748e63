// dx = dy - e^y sum(dy) over one dimension: gradient of torch.log_softmax from its output y. All [outer,
// classes, inner], rows = outer * inner. One invocation per row.
struct Params {
  rows: u32,
  classes: u32,
  inner: u32,
  dy_stride: u32,
  y_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y * 2097152u + id.x;
  if (row >= params.rows) { return; }
  let first = (row / params.inner) * params.classes * params.inner + row % params.inner;
  let size = params.classes * params.inner;
  let dy_start = id.z * params.dy_stride + first;
  let y_start = id.z * params.y_stride + first;
  let out = id.z * params.dx_stride + first;
  var sum = 0.0;
  for (var c = 0u; c < size; c += params.inner) { sum += dy[dy_start + c]; }
  for (var c = 0u; c < size; c += params.inner) {
    let v = y[y_start + c];
    dx[out + c] = dy[dy_start + c] - select(exp(v), v, is_nan(v)) * sum;
  }
}
