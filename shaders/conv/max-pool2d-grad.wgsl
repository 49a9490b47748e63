// dx = sum of dy over the windows whose maximum the element is: gradient of torch.nn.functional.max_pool2d. index
// [planes, out_height, out_width] says where in its plane the maximum of each window stands. dy [planes, out_height,
// out_width], dx [planes, height, width]. One invocation computes one element of dx: the windows that cover it, in
// row-major order.
struct Params {
  n: u32, // elements of dx
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
  dy_stride: u32,
  index_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> index: array<i32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// The first window that covers position i (padding counted), and the one after the last.
fn first(i: u32, kernel: u32, stride: u32) -> u32 { return (max(i + stride, kernel) - kernel) / stride; }
fn end(i: u32, stride: u32, count: u32) -> u32 { return min(i / stride + 1u, count); }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let e = id.y * 2097152u + id.x;
  if (e >= params.n) { return; }
  let q = e / params.width;
  let column = e - q * params.width;
  let plane = q / params.height;
  let row = q - plane * params.height;
  let row_from = first(row + params.pad_y, params.kernel_y, params.stride_y);
  let row_end = end(row + params.pad_y, params.stride_y, params.out_height);
  let left_from = first(column + params.pad_x, params.kernel_x, params.stride_x);
  let to = end(column + params.pad_x, params.stride_x, params.out_width);
  let here = i32(row * params.width + column);
  var sum = 0.0;
  for (var i = row_from; i < row_end; i++) {
    for (var j = left_from; j < to; j++) {
      let k = (plane * params.out_height + i) * params.out_width + j;
      if (index[id.z * params.index_stride + k] == here) { sum += dy[id.z * params.dy_stride + k]; }
    }
  }
  dx[id.z * params.dx_stride + e] = sum;
}
