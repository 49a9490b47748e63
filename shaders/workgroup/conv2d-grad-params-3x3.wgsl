// conv/conv2d-grad-params-3x3 and conv/channel-sums for GPUs with fast workgroup memory and rows of at most 64 pixels:
// sums of dw, and of db where there is a bias, over parts of the batch (torch.nn.functional.conv2d). Shapes and parts
// as there, and of dw the bits. Why: a workgroup takes 16 output and 8 input channels of a part, and each number is
// read once for all of them: a row of dy and the three rows of x around it are in workgroup memory, and of those three
// only one is new. 146 invocations: for each half of the output channels one for each of the 72 places (input channel,
// row and column of the kernel), and one that multiplies by 1, for the bias.
struct Params {
  n: u32, // workgroups
  rows_of_part: u32,
  length: u32,
  channel_tiles: u32, // ceil(out_channels / 16)
  batch: u32,
  groups: u32,
  in_channels: u32,
  out_channels: u32,
  height: u32,
  width: u32,
  out_height: u32,
  out_width: u32,
  pad_y: u32,
  pad_x: u32,
  has_bias: u32,
  x_stride: u32,
  dy_stride: u32,
  part_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> part: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

const LANES = 146u;
var<workgroup> image: array<f32, 1584>; // eight channels of three rows of 66
var<workgroup> grads: array<vec4f, 256>; // 64 pixels of 16 channels

@compute @workgroup_size(146)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) lane: u32) {
  let e = workgroup.y * 32768u + workgroup.x;
  if (e >= params.n) { return; }
  let input_tiles = (params.in_channels + 7u) / 8u;
  let first = e % input_tiles * 8u;
  var t = e / input_tiles;
  let channel = t % params.channel_tiles * 16u; t /= params.channel_tiles;
  let group = t % params.groups;
  let p = t / params.groups;
  let inputs = min(8u, params.in_channels - first);
  let outputs = min(16u, params.out_channels - channel);
  let quads = (outputs + 3u) / 4u;
  let area = params.out_height * params.out_width;
  let columns = params.out_width + 2u;
  let place = lane % 73u;
  let half = lane / 73u;
  let c = place / 9u;
  let tap_row = place % 9u / 3u;
  let tap_column = place % 3u;
  var a = vec4f();
  var b = vec4f();
  let end = min(params.batch * params.out_height, (p + 1u) * params.rows_of_part);
  for (var row = p * params.rows_of_part; row < end; row++) {
    let n = row / params.out_height;
    let i = row - n * params.out_height;
    let plane = n * params.groups + group;
    // Row k of x under this row of dy is in place (i + k) % 3; the first row of a part or sample needs all three.
    let old = select(2u, 0u, row == p * params.rows_of_part || i == 0u);
    let fresh = 3u - old;
    let source = workgroup.z * params.x_stride + (plane * params.in_channels + first) * params.height * params.width;
    workgroupBarrier(); // the row before is used up
    for (var q = lane; q < inputs * fresh * columns; q += LANES) {
      let image_column = q % columns - params.pad_x; // wrap below 0, and are then too large
      let k = old + q / columns % fresh;
      let input = q / columns / fresh;
      let image_row = i + k - params.pad_y;
      var v = 0.0;
      if ((image_row < params.height) & (image_column < params.width)) {
        v = x[source + (input * params.height + image_row) * params.width + image_column];
      }
      image[(input * 3u + (i + k) % 3u) * 66u + q % columns] = v;
    }
    let d = workgroup.z * params.dy_stride + plane * params.out_channels * area + i * params.out_width;
    for (var q = lane; q < quads * params.out_width; q += LANES) {
      let quad = q / params.out_width;
      let pixel = q % params.out_width;
      let o = d + pixel + min(channel + quad * 4u + vec4u(0u, 1u, 2u, 3u), vec4u(params.out_channels - 1u)) * area;
      grads[pixel * 4u + quad] = vec4f(dy[o.x], dy[o.y], dy[o.z], dy[o.w]);
    }
    workgroupBarrier();
    let window = (c * 3u + (i + tap_row) % 3u) * 66u + tap_column;
    for (var j = 0u; j < params.out_width; j++) {
      var v = 1.0;
      if (place < 72u) { v = image[window + j]; }
      a += v * grads[j * 4u + half * 2u];
      b += v * grads[j * 4u + half * 2u + 1u];
    }
  }
  let places = params.in_channels * 9u;
  let start = workgroup.z * params.part_stride + p * params.length;
  let sums = array<vec4f, 2>(a, b);
  for (var s = 0u; s < 8u && half * 8u + s < outputs; s++) {
    let o = group * params.out_channels + channel + half * 8u + s;
    let sum = sums[s / 4u][s % 4u];
    if (place < inputs * 9u) { part[start + o * places + first * 9u + place] = sum; }
    if (place == 72u && first == 0u && params.has_bias == 1u) {
      part[start + params.groups * params.out_channels * places + o] = sum;
    }
  }
}
