// dx of torch.nn.functional.max_pool2d where windows neither overlap nor have padding (kernel <= stride): dy goes to
// the maximum of its window, all else is 0. index [planes, out_height, out_width] says where in its plane the maximum
// of each window stands. dy as index, dx [planes, height, width]. One invocation computes a cell: the stride_y x
// stride_x elements that begin where its window begins. Cells cover the image; those past the last window are 0.
struct Params {
  n: u32, // planes * cell_rows * cell_columns
  cell_rows: u32,
  cell_columns: u32,
  height: u32,
  width: u32,
  out_height: u32,
  out_width: u32,
  stride_y: u32,
  stride_x: u32,
  dy_stride: u32,
  index_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> index: array<i32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let e = id.y * 2097152u + id.x;
  if (e >= params.n) { return; }
  let q = e / params.cell_columns;
  let j = e - q * params.cell_columns;
  let plane = q / params.cell_rows;
  let i = q - plane * params.cell_rows;
  let k = (plane * params.out_height + i) * params.out_width + j;
  let exists = (i < params.out_height) & (j < params.out_width);
  let winner = select(-1, index[id.z * params.index_stride + k], exists);
  let d = dy[id.z * params.dy_stride + k];
  let target_start = id.z * params.dx_stride + plane * params.height * params.width;
  let row_end = min((i + 1u) * params.stride_y, params.height);
  let end = min((j + 1u) * params.stride_x, params.width);
  for (var row = i * params.stride_y; row < row_end; row++) {
    for (var column = j * params.stride_x; column < end; column++) {
      let here = row * params.width + column;
      dx[target_start + here] = select(0.0, d, i32(here) == winner);
    }
  }
}
