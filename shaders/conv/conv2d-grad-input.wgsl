// dx[n, c, i, j] = sum over o, ky, kx of w[o, c, ky, kx] dy[n, o, (i + pad - ky * dilation) / stride, ...] where the
// divisions leave no rest (+ bias[c]): gradient of torch.nn.functional.conv2d with respect to its input at strides
// above 1 (conv/conv2d serves stride 1), and with bias torch.nn.functional.conv_transpose2d. dy [batch, groups *
// out_channels, out_height, out_width], dx [batch, groups * in_channels, height, width]. One invocation computes one
// element of dx: one sum in the order of ky, kx, o.
struct Params {
  n: u32, // elements of dx
  groups: u32,
  in_channels: u32,
  out_channels: u32,
  height: u32,
  width: u32,
  out_height: u32,
  out_width: u32,
  kernel_height: u32,
  kernel_width: u32,
  stride_y: u32,
  stride_x: u32,
  pad_y: u32,
  pad_x: u32,
  dilation_y: u32,
  dilation_x: u32,
  has_bias: u32,
  dy_stride: u32,
  weight_stride: u32,
  bias_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let e = id.y * 2097152u + id.x;
  if (e >= params.n) { return; }
  let j = e % params.width;
  let i = e / params.width % params.height;
  let plane = e / params.width / params.height; // sample and channel
  let channels = params.groups * params.in_channels;
  let k = plane % channels;
  let group = k / params.in_channels;
  let area = params.out_height * params.out_width;
  let window = params.kernel_height * params.kernel_width;
  let source = id.z * params.dy_stride + (plane / channels * params.groups + group) * params.out_channels * area;
  let w_group = id.z * params.weight_stride + group * params.out_channels * params.in_channels * window;
  let w_channel = (k % params.in_channels) * window;
  var sum = 0.0;
  for (var ky = 0u; ky < params.kernel_height; ky++) {
    let top = i + params.pad_y - ky * params.dilation_y; // wraps below 0, and is then too large
    let row = top / params.stride_y;
    if (top % params.stride_y != 0u || row >= params.out_height) { continue; }
    for (var kx = 0u; kx < params.kernel_width; kx++) {
      let left = j + params.pad_x - kx * params.dilation_x;
      let column = left / params.stride_x;
      if (left % params.stride_x != 0u || column >= params.out_width) { continue; }
      var d = source + row * params.out_width + column;
      var w = w_group + w_channel + ky * params.kernel_width + kx;
      for (var o = 0u; o < params.out_channels; o++) {
        sum += weight[w] * dy[d];
        w += params.in_channels * window;
        d += area;
      }
    }
  }
  if (params.has_bias == 1u) { sum += bias[id.z * params.bias_stride + k]; }
  dx[id.z * params.dx_stride + e] = sum;
}
