// norm/layer-norm-grad-input for GPUs with fast workgroup memory (torch.nn.functional.layer_norm): with g = dy weight
// and n = (x - mean) rstd, dx = (g - mean of g - n mean of g n) rstd for every row. dy, x, dx [rows, columns]; mean,
// rstd [rows]; weight [columns]. Why: as workgroup/layer-norm; 32 lanes take a row, 8 rows per workgroup. Of rows with
// at most 192 columns a lane keeps g and x - mean (KEPT), so that dy and x are read once.
override AFFINE: u32 = 1u;
override KEPT: u32 = 0u;

struct Params {
  rows: u32,
  columns: u32,
  dy_stride: u32,
  x_stride: u32,
  mean_stride: u32,
  rstd_stride: u32,
  weight_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> mean: array<f32>;
@group(0) @binding(3) var<storage, read> rstd: array<f32>;
@group(0) @binding(4) var<storage, read> weight: array<f32>;
@group(0) @binding(5) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

alias Sum = vec2f;
var<workgroup> sums: array<vec2f, 256>;
var<workgroup> kept: array<vec2f, 1536>; // 6 of each invocation, which no other one reads

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

// g and x - mean.
fn pair(dy_at: u32, x_at: u32, weight_at: u32, center: f32) -> vec2f {
  var g = dy[dy_at];
  if (AFFINE == 1u) { g *= weight[weight_at]; }
  return vec2f(g, x[x_at] - center);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = min((group.y * 32768u + group.x) * 8u + lane / 32u, params.rows - 1u); // beyond the edge repeated
  let dy_row = group.z * params.dy_stride + row * params.columns;
  let x_row = group.z * params.x_stride + row * params.columns;
  let w = group.z * params.weight_stride;
  let center = mean[group.z * params.mean_stride + row];
  let scale = rstd[group.z * params.rstd_stride + row];
  var both = vec2f(); // of g, and of g (x - mean)
  var e = 0u;
  for (var k = lane % 32u; k < params.columns; k += 32u) {
    let v = pair(dy_row + k, x_row + k, w + k, center);
    if (KEPT == 1u) { kept[e * 256u + lane] = v; }
    both += v.x * vec2f(1.0, v.y);
    e++;
  }
  let means = lane_sum(lane, 32u, 1u, both) / f32(params.columns);
  let slope = means.y * scale * scale;
  if ((group.y * 32768u + group.x) * 8u + lane / 32u >= params.rows) { return; }
  let out = group.z * params.dx_stride + row * params.columns;
  e = 0u;
  for (var k = lane % 32u; k < params.columns; k += 32u) {
    var v: vec2f;
    if (KEPT == 1u) { v = kept[e * 256u + lane]; } else { v = pair(dy_row + k, x_row + k, w + k, center); }
    dx[out + k] = (v.x - means.x - v.y * slope) * scale;
    e++;
  }
}
