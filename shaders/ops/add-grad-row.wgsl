// db = sum of dy over its rows: gradient of torch.add for an operand that repeats over the rows (a bias).
// dy [rows, columns], db [columns]. One invocation sums one column, in row order.
struct Params {
  rows: u32,
  columns: u32,
  dy_stride: u32,
  db_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read_write> db: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let column = id.y * 2097152u + id.x;
  if (column >= params.columns) { return; }
  var i = id.z * params.dy_stride + column;
  var sum = 0.0;
  for (var r = 0u; r < params.rows; r++) {
    sum += dy[i];
    i += params.columns;
  }
  db[id.z * params.db_stride + column] = sum;
}
