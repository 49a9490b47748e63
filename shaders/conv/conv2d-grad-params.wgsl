// Sums of dw over parts of the batch: part[p, o, c, ky, kx] = sum over the rows of part p and their pixels of dy[n, o, i, j] x[n, c, i * stride + ky * dilation - pad, ...].
// First half of the gradient of torch.nn.functional.conv2d and conv1d with respect to the weight; conv/add-parts adds the parts.
// A row is (sample, output row); part p holds rows p * rows_of_part onwards. x [batch, groups * in_channels, height, width],
// dy [batch, groups * out_channels, out_height, out_width]; a part is `length` long and begins with its weights.
// One invocation computes one weight of one part.
struct Params {
  n: u32, // parts * weights
  rows_of_part: u32,
  length: u32,
  batch: u32,
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
  x_stride: u32,
  dy_stride: u32,
  part_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> part: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let e = id.y * 2097152u + id.x;
  if (e >= params.n) { return; }
  let weights = params.groups * params.out_channels * params.in_channels * params.kernel_height * params.kernel_width;
  let p = e / weights;
  let k = e % weights;
  let kx = k % params.kernel_width;
  let ky = k / params.kernel_width % params.kernel_height;
  let c = k / params.kernel_width / params.kernel_height % params.in_channels;
  let o = k / params.kernel_width / params.kernel_height / params.in_channels; // over all groups
  let group = o / params.out_channels;
  let end = min(params.batch * params.out_height, (p + 1u) * params.rows_of_part);
  var sum = 0.0;
  for (var row = p * params.rows_of_part; row < end; row++) {
    let n = row / params.out_height;
    let i = row - n * params.out_height;
    let y = i * params.stride_y + ky * params.dilation_y - params.pad_y;
    if (y >= params.height) { continue; }
    let s = id.z * params.x_stride + (((n * params.groups + group) * params.in_channels + c) * params.height + y) * params.width;
    let d = id.z * params.dy_stride + ((n * params.groups * params.out_channels + o) * params.out_height + i) * params.out_width;
    for (var j = 0u; j < params.out_width; j++) {
      let column = j * params.stride_x + kx * params.dilation_x - params.pad_x;
      if (column < params.width) { sum += dy[d + j] * x[s + column]; }
    }
  }
  part[id.z * params.part_stride + p * params.length + k] = sum;
}
