// The gradients of a layer norm's weight and bias for GPUs with fast workgroup memory (torch.nn.functional.layer_norm):
// dweight = sum over rows of dy (x - mean) rstd, dbias = sum over rows of dy. dy, x [rows, columns]; mean, rstd [rows];
// dweight, dbias [columns]. Why: norm/layer-norm-grad-params and -join wait for every row. A workgroup takes 8 columns
// with 32 lanes each, and a tree adds up the lanes: one launch.
struct Params {
  rows: u32,
  columns: u32,
  dy_stride: u32,
  x_stride: u32,
  mean_stride: u32,
  rstd_stride: u32,
  dweight_stride: u32,
  dbias_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> mean: array<f32>;
@group(0) @binding(3) var<storage, read> rstd: array<f32>;
@group(0) @binding(4) var<storage, read_write> dweight: array<f32>;
@group(0) @binding(5) var<storage, read_write> dbias: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

alias Sum = vec2f;
var<workgroup> sums: array<vec2f, 256>;

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

// What one row adds to dweight and dbias of a column.
fn term(row: u32, column: u32, z: u32) -> vec2f {
  let g = dy[z * params.dy_stride + row * params.columns + column];
  let d = x[z * params.x_stride + row * params.columns + column] - mean[z * params.mean_stride + row];
  return vec2f(g * d * rstd[z * params.rstd_stride + row], g);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let column = (group.y * 32768u + group.x) * 8u + lane % 8u;
  let rows = select(0u, params.rows, column < params.columns);
  var row = lane / 8u;
  var both = vec4f();
  for (; row + 32u < rows; row += 64u) {
    both += vec4f(term(row, column, group.z), term(row + 32u, column, group.z));
  }
  if (row < rows) { both += vec4f(term(row, column, group.z), 0.0, 0.0); }
  let total = lane_sum(lane, 256u, 8u, both.xy + both.zw);
  if (lane >= 8u || column >= params.columns) { return; }
  dweight[group.z * params.dweight_stride + column] = total.x;
  dbias[group.z * params.dbias_stride + column] = total.y;
}
