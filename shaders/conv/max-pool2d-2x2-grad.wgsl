// dx of torch.nn.functional.max_pool2d(x, 2) on images of even sizes, where windows of 2 x 2 cover each pixel once: dy
// goes to the maximum of its window, all else is 0. dy and index [planes, out_height, out_width] as in
// conv/max-pool2d-spread, dx [planes, height, width] in pairs. RELU = 1: of the maximum of relu(x); y, the result, says
// where relu let nothing through. One invocation computes `span` windows of a row, `spans` cover it.
override RELU: u32 = 0u;

struct Params {
  n: u32, // invocations: spans of all rows of windows
  spans: u32,
  span: u32,
  width: u32,
  out_height: u32,
  out_width: u32,
  dy_stride: u32,
  index_stride: u32,
  y_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> index: array<i32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> dx: array<vec2f>;
@group(1) @binding(0) var<uniform> params: Params;

// by its bits: comparisons may be folded
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  let row = i / params.spans; // of windows, over all planes
  let first = (i - row * params.spans) * params.span;
  let last = min(first + params.span, params.out_width);
  let width = i32(params.width);
  var k = i32(row % params.out_height * 2u * params.width + first * 2u);
  var to = id.z * (params.dx_stride / 2u) + row * params.width + first; // two rows of width / 2 pairs a row of windows
  let start = row * params.out_width;
  for (var e = start + first; e < start + last; e++) {
    let place = vec2i(index[id.z * params.index_stride + e] - k);
    var d = dy[id.z * params.dy_stride + e];
    if (RELU == 1u) {
      let v = y[id.z * params.y_stride + e];
      d = select(d, 0.0, (v <= 0.0) & !is_nan(v));
    }
    dx[to] = select(vec2f(), vec2f(d), place == vec2i(0, 1));
    dx[to + params.out_width] = select(vec2f(), vec2f(d), place == vec2i(width, width + 1));
    k += 2;
    to += 1u;
  }
}
