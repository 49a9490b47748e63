// norm/layer-norm for GPUs with fast workgroup memory (torch.nn.functional.layer_norm): y = (x - mean) rstd weight +
// bias for every row, rstd = 1 / sqrt(biased variance + eps). x, y [rows, columns]; weight, bias [columns]; mean, rstd
// [rows]. Why: one invocation that reads a whole row waits for every number. 32 lanes take a row, 8 rows per workgroup.
// Of rows with at most 384 columns a lane keeps what it has read (KEPT), so that x is read once.
override AFFINE: u32 = 1u;
override KEPT: u32 = 0u;

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

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<storage, read_write> mean: array<f32>;
@group(0) @binding(5) var<storage, read_write> rstd: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

alias Sum = vec2f;
var<workgroup> sums: array<vec2f, 256>;
var<workgroup> kept: array<f32, 3072>; // 12 of each invocation, which no other one reads

// By its bits: a driver may turn a comparison into max(), which may swallow NaN.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

// The sum over each `lanes` neighbours, or over every `step`-th of them, in one order (helpers/lane-sum).
fn lane_sum(lane: u32, lanes: u32, step: u32, own: Sum) -> Sum {
  workgroupBarrier();
  sums[lane] = own;
  for (var half = lanes / 2u; half >= step; half /= 2u) {
    workgroupBarrier();
    if (lane % lanes < half) { sums[lane] += sums[lane + half]; }
  }
  workgroupBarrier();
  return sums[lane - lane % lanes + lane % step];
}

// Number k of a row, the e-th of its lane.
fn value(at: u32, lane: u32, e: u32) -> f32 {
  if (KEPT == 1u) { return kept[e * 256u + lane]; }
  return x[at];
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = (group.y * 32768u + group.x) * 8u + lane / 32u;
  let inside = row < params.rows;
  let start = group.z * params.x_stride + row * params.columns;
  let first = select(params.columns, lane % 32u, inside);
  let count = f32(params.columns);
  var sum = 0.0;
  var e = 0u;
  for (var k = first; k < params.columns; k += 32u) {
    let v = x[start + k];
    if (KEPT == 1u) { kept[e * 256u + lane] = v; }
    sum += v;
    e++;
  }
  let guess = lane_sum(lane, 32u, 1u, vec2f(sum, 0.0)).x / count;
  // The deviations correct the mean too, whose sum may have lost digits to a large offset.
  var apart = vec2f();
  e = 0u;
  for (var k = first; k < params.columns; k += 32u) {
    let d = value(start + k, lane, e) - guess;
    apart += vec2f(d, d * d);
    e++;
  }
  let total = lane_sum(lane, 32u, 1u, apart) / count;
  if (!inside) { return; }
  let center = guess + total.x;
  let difference = total.y - total.x * total.x;
  let variance = select(max(difference, 0.0), difference, is_nan(difference));
  let scale = 1.0 / sqrt(variance + params.eps);
  if (first == 0u) {
    mean[group.z * params.mean_stride + row] = center;
    rstd[group.z * params.rstd_stride + row] = scale;
  }
  let out = group.z * params.y_stride + row * params.columns;
  e = 0u;
  for (var k = first; k < params.columns; k += 32u) {
    var v = (value(start + k, lane, e) - center) * scale;
    if (AFFINE == 1u) {
      v = v * weight[group.z * params.weight_stride + k] + bias[group.z * params.bias_stride + k];
    }
    y[out + k] = v;
    e++;
  }
}
