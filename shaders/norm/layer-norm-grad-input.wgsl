// dx = (g - mean(g) - xhat mean(g xhat)) rstd with g = dy weight, xhat = (x - mean) rstd: gradient of
// torch.nn.functional.layer_norm by its input. dy, x, dx [rows, columns]; mean, rstd [rows]; weight [columns]. One
// invocation per row.
override AFFINE: u32 = 1u;

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

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y * 2097152u + id.x;
  if (row >= params.rows) { return; }
  let dy_row = id.z * params.dy_stride + row * params.columns;
  let x_row = id.z * params.x_stride + row * params.columns;
  let out = id.z * params.dx_stride + row * params.columns;
  let w = id.z * params.weight_stride;
  let center = mean[id.z * params.mean_stride + row];
  let scale = rstd[id.z * params.rstd_stride + row];
  var sum_g = 0.0;
  var sum_g_xmu = 0.0;
  for (var k = 0u; k < params.columns; k++) {
    var g = dy[dy_row + k];
    if (AFFINE == 1u) { g *= weight[w + k]; }
    sum_g += g;
    sum_g_xmu += g * (x[x_row + k] - center);
  }
  let mean_g = sum_g / f32(params.columns);
  let slope = sum_g_xmu / f32(params.columns) * scale * scale;
  for (var k = 0u; k < params.columns; k++) {
    var g = dy[dy_row + k];
    if (AFFINE == 1u) { g *= weight[w + k]; }
    dx[out + k] = (g - mean_g - (x[x_row + k] - center) * slope) * scale;
  }
}
