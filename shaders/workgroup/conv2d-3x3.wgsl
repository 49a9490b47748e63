// conv/conv2d-3x3 for GPUs with fast workgroup memory: y = conv(x, w) + bias for 3 x 3 kernels of stride and dilation 1
// (torch.nn.functional.conv2d, and with the weight turned by its steps the gradient of its input). Shapes, steps and
// bits as there. Why: a workgroup of 128 computes 16 x 16 pixels of 4 QUADS output channels; the image under them and
// the weights come into workgroup memory four input channels at a time, and each number is read once for all. An
// invocation has two pixels, eight rows apart: p and q are their sums.
override QUADS: u32 = 4u; // 2 or 4

struct Params {
  n: u32, // workgroups
  column_tiles: u32,
  row_tiles: u32,
  channel_tiles: u32,
  groups: u32,
  in_channels: u32,
  out_channels: u32,
  height: u32,
  width: u32,
  out_height: u32,
  out_width: u32,
  pad_y: u32,
  pad_x: u32,
  w_group: u32,
  w_start: u32,
  w_out: u32,
  w_in: u32,
  w_y: u32,
  w_x: u32,
  has_bias: u32,
  x_stride: u32,
  weight_stride: u32,
  bias_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

var<workgroup> image: array<f32, 1296>; // four channels of 18 x 18
var<workgroup> taps: array<vec4f, 144>; // four channels of nine places, four output channels by four
var<workgroup> biases: array<vec4f, 4>;

fn four(at: u32, step: u32, channel: u32) -> vec4f {
  let o = at + min(channel + vec4u(0u, 1u, 2u, 3u), vec4u(params.out_channels - 1u)) * step;
  return vec4f(weight[o.x], weight[o.y], weight[o.z], weight[o.w]);
}

fn store(at: u32, channel: u32, sums: vec4f) {
  for (var e = 0u; e < 4u && channel + e < params.out_channels; e++) {
    y[at + (channel + e) * params.out_height * params.out_width] = sums[e];
  }
}

@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = workgroup.y * 32768u + workgroup.x;
  if (i >= params.n) { return; }
  var t = i / params.column_tiles;
  let first_column = (i - t * params.column_tiles) * 16u;
  let first_row = (t % params.row_tiles) * 16u; t /= params.row_tiles;
  // t: sample and group
  let channel = (t % params.channel_tiles) * 4u * QUADS; t /= params.channel_tiles;
  let group = t % params.groups;
  let top = first_row - params.pad_y; // wrap below 0, and are then too large
  let left = first_column - params.pad_x;
  let plane = params.height * params.width;
  let source = workgroup.z * params.x_stride + t * params.in_channels * plane;
  let w = workgroup.z * params.weight_stride + params.w_start + group * params.w_group;
  let column = lane % 16u;
  let row = lane / 16u;
  if (lane < 4u) {
    let start = workgroup.z * params.bias_stride + group * params.out_channels;
    var own = vec4f();
    for (var e = 0u; e < 4u; e++) {
      let o = channel + lane * 4u + e;
      if (params.has_bias == 1u && o < params.out_channels) { own[e] = bias[start + o]; }
    }
    biases[lane] = own;
  }
  var p0 = vec4f(); var p1 = vec4f(); var p2 = vec4f(); var p3 = vec4f();
  var q0 = vec4f(); var q1 = vec4f(); var q2 = vec4f(); var q3 = vec4f();
  for (var first = 0u; first < params.in_channels; first += 4u) {
    let channels = min(4u, params.in_channels - first);
    workgroupBarrier(); // the channels before are used up
    for (var e = lane; e < channels * 324u; e += 128u) {
      let image_row = top + e % 324u / 18u;
      let image_column = left + e % 18u;
      var v = 0.0;
      if ((image_row < params.height) & (image_column < params.width)) {
        v = x[source + (first + e / 324u) * plane + image_row * params.width + image_column];
      }
      image[e] = v;
    }
    for (var e = lane; e < channels * 9u * QUADS; e += 128u) {
      let place = e % 9u;
      let quad = e / 9u % QUADS;
      let c = e / 9u / QUADS;
      if (channel + quad * 4u < params.out_channels) {
        let at = w + (first + c) * params.w_in + place / 3u * params.w_y + place % 3u * params.w_x;
        taps[(c * 9u + place) * QUADS + quad] = four(at, params.w_out, channel + quad * 4u);
      }
    }
    workgroupBarrier();
    for (var c = 0u; c < channels; c++) {
      for (var place = 0u; place < 9u; place++) {
        let at = c * 324u + (row + place / 3u) * 18u + column + place % 3u;
        let u = image[at];
        let v = image[at + 144u];
        let tap = (c * 9u + place) * QUADS;
        let a = taps[tap];
        let b = taps[tap + 1u];
        p0 += u * a; p1 += u * b; q0 += v * a; q1 += v * b;
        if (QUADS == 4u) {
          let d = taps[tap + 2u];
          let f = taps[tap + 3u];
          p2 += u * d; p3 += u * f; q2 += v * d; q3 += v * f;
        }
      }
    }
  }
  if (first_column + column >= params.out_width) { return; }
  let out = workgroup.z * params.y_stride + t * params.out_channels * params.out_height * params.out_width
    + (first_row + row) * params.out_width + first_column + column;
  if (first_row + row < params.out_height) {
    store(out, channel, p0 + biases[0]);
    store(out, channel + 4u, p1 + biases[1]);
    if (QUADS == 4u) { store(out, channel + 8u, p2 + biases[2]); store(out, channel + 12u, p3 + biases[3]); }
  }
  if (first_row + row + 8u < params.out_height) {
    let below = out + 8u * params.out_width;
    store(below, channel, q0 + biases[0]);
    store(below, channel + 4u, q1 + biases[1]);
    if (QUADS == 4u) { store(below, channel + 8u, q2 + biases[2]); store(below, channel + 12u, q3 + biases[3]); }
  }
}
