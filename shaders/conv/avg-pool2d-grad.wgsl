// dx = sum over the windows that cover the element of dy / the number of elements that the window counts: gradient of
// torch.nn.functional.avg_pool2d and adaptive_avg_pool2d. dy [planes, out_height, out_width], dx [planes, height,
// width]; counting as in conv/avg-pool2d. One invocation computes one element of dx: the windows that cover it, in
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
  counting: u32,
  dy_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// The first window that covers element i of one dimension, and the one after the last.
fn covering(i: u32, size: u32, out: u32, kernel: u32, stride: u32, pad: u32) -> vec2u {
  if (params.counting == 2u) { return vec2u(i * out / size, ((i + 1u) * out + size - 1u) / size); }
  return vec2u((max(i + pad + stride, kernel) - kernel) / stride, min((i + pad) / stride + 1u, out));
}

// How many elements window i counts in one dimension.
fn counted(i: u32, size: u32, out: u32, kernel: u32, stride: u32, pad: u32) -> u32 {
  if (params.counting == 2u) { return ((i + 1u) * size + out - 1u) / out - i * size / out; }
  let start = i * stride; // padding counted
  let end = min(start + kernel, size + 2u * pad);
  return select(min(end, size + pad) - max(start, pad), end - start, params.counting == 1u);
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let e = id.y * 2097152u + id.x;
  if (e >= params.n) { return; }
  let q = e / params.width;
  let plane = q / params.height;
  let rows = covering(q - plane * params.height, params.height, params.out_height, params.kernel_y, params.stride_y,
    params.pad_y);
  let columns = covering(e - q * params.width, params.width, params.out_width, params.kernel_x, params.stride_x,
    params.pad_x);
  var sum = 0.0;
  for (var i = rows.x; i < rows.y; i++) {
    let high = counted(i, params.height, params.out_height, params.kernel_y, params.stride_y, params.pad_y);
    for (var j = columns.x; j < columns.y; j++) {
      let wide = counted(j, params.width, params.out_width, params.kernel_x, params.stride_x, params.pad_x);
      let k = (plane * params.out_height + i) * params.out_width + j;
      sum += dy[id.z * params.dy_stride + k] / f32(high * wide);
    }
  }
  dx[id.z * params.dx_stride + e] = sum;
}
