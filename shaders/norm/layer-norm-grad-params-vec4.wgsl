// As norm/layer-norm-grad-params, four columns at a time, for rows of whole vectors of four
// (torch.nn.functional.layer_norm): the same bits. `columns` counts vectors. dy, x [rows, columns]; mean, rstd
// [rows]; partial [2, parts, columns]. One invocation per part of a column.
struct Params {
  rows: u32,
  columns: u32,
  parts: u32,
  dy_stride: u32,
  x_stride: u32,
  mean_stride: u32,
  rstd_stride: u32,
  partial_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<vec4f>;
@group(0) @binding(1) var<storage, read> x: array<vec4f>;
@group(0) @binding(2) var<storage, read> mean: array<f32>;
@group(0) @binding(3) var<storage, read> rstd: array<f32>;
@group(0) @binding(4) var<storage, read_write> partial: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let column = i % params.columns;
  let part = i / params.columns;
  if (part >= params.parts) { return; }
  var dweight = vec4f();
  var dbias = vec4f();
  for (var row = part; row < params.rows; row += params.parts) {
    let g = dy[id.z * params.dy_stride / 4u + row * params.columns + column];
    let d = x[id.z * params.x_stride / 4u + row * params.columns + column] - mean[id.z * params.mean_stride + row];
    dweight += g * d * rstd[id.z * params.rstd_stride + row];
    dbias += g;
  }
  let out = id.z * params.partial_stride / 4u + i;
  partial[out] = dweight;
  partial[out + params.parts * params.columns] = dbias;
}
