// As norm/layer-norm-grad-input, four neighbours at a time, for rows of whole vectors of four
// (torch.nn.functional.layer_norm). `columns` counts vectors. dy, x, dx [rows, columns]; mean, rstd [rows]; weight
// [columns]. One invocation per row.
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

@group(0) @binding(0) var<storage, read> dy: array<vec4f>;
@group(0) @binding(1) var<storage, read> x: array<vec4f>;
@group(0) @binding(2) var<storage, read> mean: array<f32>;
@group(0) @binding(3) var<storage, read> rstd: array<f32>;
@group(0) @binding(4) var<storage, read> weight: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> dx: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y * 2097152u + id.x;
  if (row >= params.rows) { return; }
  let dy_row = id.z * (params.dy_stride / 4u) + row * params.columns;
  let x_row = id.z * (params.x_stride / 4u) + row * params.columns;
  let out = id.z * (params.dx_stride / 4u) + row * params.columns;
  let w = id.z * (params.weight_stride / 4u);
  let center = mean[id.z * params.mean_stride + row];
  let scale = rstd[id.z * params.rstd_stride + row];
  var sums = vec4f();
  var sums_xmu = vec4f();
  for (var k = 0u; k < params.columns; k++) {
    var g = dy[dy_row + k];
    if (AFFINE == 1u) { g *= weight[w + k]; }
    sums += g;
    sums_xmu += g * (x[x_row + k] - center);
  }
  let count = f32(params.columns * 4u);
  let mean_g = dot(sums, vec4f(1.0)) / count;
  let slope = dot(sums_xmu, vec4f(1.0)) / count * scale * scale;
  for (var k = 0u; k < params.columns; k++) {
    var g = dy[dy_row + k];
    if (AFFINE == 1u) { g *= weight[w + k]; }
    dx[out + k] = (g - mean_g - (x[x_row + k] - center) * slope) * scale;
  }
}
