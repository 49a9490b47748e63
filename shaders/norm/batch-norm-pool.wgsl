// torch.nn.functional.max_pool2d(v, 2) of v = batch_norm(x), or of relu(v) with RELU = 1: v is never stored. v = (x -
// mean) invstd weight + bias per channel as in norm/batch-norm, the pooling as in conv/max-pool2d-2x2, with the bits of
// both. x [batch, channels, height, width] of even sizes; mean, invstd, weight and bias [channels]; y and index [batch,
// channels, height / 2, width / 2]. One invocation computes `span` windows of a row, `spans` cover it.
override RELU: u32 = 0u;

struct Params {
  n: u32, // invocations: spans of all rows of windows
  spans: u32,
  span: u32,
  channels: u32,
  width: u32,
  out_height: u32,
  out_width: u32,
  x_stride: u32,
  mean_stride: u32,
  invstd_stride: u32,
  weight_stride: u32,
  bias_stride: u32,
  y_stride: u32,
  index_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec2f>;
@group(0) @binding(1) var<storage, read> mean: array<f32>;
@group(0) @binding(2) var<storage, read> invstd: array<f32>;
@group(0) @binding(3) var<storage, read> weight: array<f32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;
@group(0) @binding(5) var<storage, read_write> y: array<f32>;
@group(0) @binding(6) var<storage, read_write> index: array<i32>;
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
  let last = min(first + params.span, params.out_width);
  let plane = row / params.out_height;
  let channel = plane % params.channels;
  let center = mean[id.z * params.mean_stride + channel];
  let scale = invstd[id.z * params.invstd_stride + channel] * weight[id.z * params.weight_stride + channel];
  let shift = bias[id.z * params.bias_stride + channel];
  var k = (row - plane * params.out_height) * 2u * params.width + first * 2u;
  var s = id.z * (params.x_stride / 2u) + row * params.width + first; // two rows of width / 2 pairs per row of windows
  let start = row * params.out_width;
  for (var e = start + first; e < start + last; e++) {
    let v = (vec4f(x[s], x[s + params.out_width]) - center) * scale + shift;
    let b = wins(v.y, v.x); let best_b = select(v.x, v.y, b); let place_b = select(k, k + 1u, b);
    let c = wins(v.z, best_b); let best_c = select(best_b, v.z, c); let place_c = select(place_b, k + params.width, c);
    let d = wins(v.w, best_c); let best = select(best_c, v.w, d);
    y[id.z * params.y_stride + e] = select(best, 0.0, (RELU == 1u) & (best <= 0.0) & !is_nan(best));
    index[id.z * params.index_stride + e] = i32(select(place_c, k + params.width + 1u, d));
    k += 2u;
    s += 1u;
  }
}
