// y and index as in conv/max-pool2d, for windows of 2 x 2 that touch (torch.nn.functional.max_pool2d(x, 2)): four loads
// without a loop. x [planes, height, width], y and index [planes, out_height, out_width]; a last odd row or column
// belongs to no window. RELU = 1: the maximum of relu(x), which is relu of the maximum; index is then that of x, which
// matters nowhere, since relu lets no gradient through where it differs. One invocation computes `span` windows of a
// row, `spans` cover it: where a window stands is divided out once.
override RELU: u32 = 0u;

struct Params {
  n: u32, // invocations: spans of all rows of windows
  spans: u32,
  span: u32,
  height: u32,
  width: u32,
  out_height: u32,
  out_width: u32,
  x_stride: u32,
  y_stride: u32,
  index_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> index: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

// by its bits: comparisons may be folded
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

// Whether v takes over from the best before it: if larger, or NaN.
fn wins(v: f32, best: f32) -> bool { return (v > best) | is_nan(v); }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  let row = i / params.spans; // of windows, over all planes
  let first = (i - row * params.spans) * params.span;
  let plane = row / params.out_height;
  let last = min(first + params.span, params.out_width);
  var k = (row - plane * params.out_height) * 2u * params.width + first * 2u;
  var s = id.z * params.x_stride + plane * params.height * params.width + k;
  let start = row * params.out_width;
  for (var e = start + first; e < start + last; e++) {
    let v = vec4f(x[s], x[s + 1u], x[s + params.width], x[s + params.width + 1u]);
    let b = wins(v.y, v.x); let best_b = select(v.x, v.y, b); let place_b = select(k, k + 1u, b);
    let c = wins(v.z, best_b); let best_c = select(best_b, v.z, c); let place_c = select(place_b, k + params.width, c);
    let d = wins(v.w, best_c); let best = select(best_c, v.w, d);
    y[id.z * params.y_stride + e] = select(best, 0.0, (RELU == 1u) & (best <= 0.0) & !is_nan(best));
    index[id.z * params.index_stride + e] = i32(select(place_c, k + params.width + 1u, d));
    k += 2u;
    s += 2u;
  }
}
