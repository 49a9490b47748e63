// As norm/layer-norm, four neighbours at a time, for rows of whole vectors of four (torch.nn.functional.layer_norm of
// every transformer). `columns` counts vectors. x, y [rows, columns]; weight, bias [columns]; mean, rstd [rows]. One
// invocation per row, which it reads three times.
override AFFINE: u32 = 1u;

struct Params {
  rows: u32,
  columns: u32,
  eps: f32,
  x_stride: u32,
  weight_stride: u32,
  bias_stride: u32,
  y_stride: u32,
  mean_stride: u32,
  rstd_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> weight: array<vec4f>;
@group(0) @binding(2) var<storage, read> bias: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> y: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> mean: array<f32>;
@group(0) @binding(5) var<storage, read_write> rstd: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: a driver may turn a comparison into max(), which may swallow NaN.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y * 2097152u + id.x;
  if (row >= params.rows) { return; }
  let start = id.z * (params.x_stride / 4u) + row * params.columns;
  let count = f32(params.columns * 4u);
  var sums = vec4f();
  for (var k = 0u; k < params.columns; k++) { sums += x[start + k]; }
  let guess = dot(sums, vec4f(1.0)) / count;
  // The deviations correct the mean too, whose sum may have lost digits to a large offset.
  var deviations4 = vec4f();
  var squares4 = vec4f();
  for (var k = 0u; k < params.columns; k++) {
    let d = x[start + k] - guess;
    deviations4 += d;
    squares4 += d * d;
  }
  let squares = dot(squares4, vec4f(1.0));
  let shift = dot(deviations4, vec4f(1.0)) / count;
  let center = guess + shift;
  let difference = squares / count - shift * shift;
  let variance = select(max(difference, 0.0), difference, is_nan(difference));
  let scale = 1.0 / sqrt(variance + params.eps);
  mean[id.z * params.mean_stride + row] = center;
  rstd[id.z * params.rstd_stride + row] = scale;
  let out = id.z * (params.y_stride / 4u) + row * params.columns;
  let w = id.z * (params.weight_stride / 4u);
  let b = id.z * (params.bias_stride / 4u);
  for (var k = 0u; k < params.columns; k++) {
    var v = (x[start + k] - center) * scale;
    if (AFFINE == 1u) { v = v * weight[w + k] + bias[b + k]; }
    y[out + k] = v;
  }
}
