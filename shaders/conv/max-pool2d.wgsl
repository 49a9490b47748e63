// y = the largest element of each window, index = where it is in its plane (row * width + column):
// torch.nn.functional.max_pool2d with return_indices. x [planes, height, width], y and index [planes, out_height,
// out_width]. The first maximum in row-major order wins, a NaN over all before it (tested by its bits, since a compiler
// may assume that there is none). One invocation computes one window.
struct Params {
  n: u32, // windows of all planes
  height: u32,
  width: u32,
  out_height: u32,
  out_width: u32,
  kernel_y: u32,
  kernel_x: u32,
  stride_y: u32,
  stride_x: u32,
  pad_y: u32,
  pad_x: u32,
  x_stride: u32,
  y_stride: u32,
  index_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> index: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let e = id.y * 2097152u + id.x;
  if (e >= params.n) { return; }
  let q = e / params.out_width;
  let left = (e - q * params.out_width) * params.stride_x;
  let plane = q / params.out_height;
  let top = (q - plane * params.out_height) * params.stride_y;
  // In coordinates shifted by the padding, so that nothing is negative.
  let row_from = max(top, params.pad_y) - params.pad_y;
  let row_to = min(top + params.kernel_y - params.pad_y, params.height);
  let left_from = max(left, params.pad_x) - params.pad_x;
  let to = min(left + params.kernel_x - params.pad_x, params.width);
  let source = id.z * params.x_stride + plane * params.height * params.width;
  var place = row_from * params.width + left_from;
  var best = x[source + place];
  for (var r = row_from; r < row_to; r++) {
    for (var k = r * params.width + left_from; k < r * params.width + to; k++) {
      let v = x[source + k];
      let wins = (v > best) | is_nan(v); // selected, not branched: branches are dear on software adapters
      best = select(best, v, wins);
      place = select(place, k, wins);
    }
  }
  y[id.z * params.y_stride + e] = best;
  index[id.z * params.index_stride + e] = i32(place);
}
