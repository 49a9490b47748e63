// y = conv(x, w) + bias: torch.nn.functional.conv2d and conv1d of any stride, padding, dilation and groups; with the
// weight turned by its steps also the gradient of the input at stride 1. x [batch, groups * in_channels, height,
// width], y [batch, groups * out_channels, out_height, out_width]; w[g, o, c, ky, kx] is at w_start + g * w_group +
// o * w_out + c * w_in + ky * w_y + kx * w_x (steps may be negative: u32 wraps). One invocation computes 8 pixels of 8
// output channels in registers: 16 loads serve 64 multiply-adds. Its pixels lie `tiles` apart in the batch (neighbours
// in x take neighbouring pixels). Every element is one sum in the order of c, ky, kx; bias after.
struct Params {
  tiles: u32, // ceil(batch * out_height * out_width / 8)
  channel_tiles: u32, // ceil(out_channels / 8)
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

// Row and column of the top left corner of a pixel's window, its place in channel 0 of the group, and its place in y.
struct Pixel { row: u32, column: u32, source: u32, out: u32 }

fn pixel(p: u32, group: u32, instance: u32) -> Pixel {
  let q = p / params.out_width;
  let n = q / params.out_height;
  let i = q - n * params.out_height;
  let j = p - q * params.out_width;
  let row = i * params.stride_y - params.pad_y; let column = j * params.stride_x - params.pad_x;
  let source = instance * params.x_stride + (n * params.groups + group) * params.in_channels * params.height
    * params.width;
  let out = instance * params.y_stride + (n * params.groups + group) * params.out_channels * params.out_height
    * params.out_width + i * params.out_width + j;
  return Pixel(row, column, source + row * params.width + column, out);
}

fn load(p: Pixel, row: u32, column: u32, offset: u32) -> f32 {
  return select(0.0, x[p.source + offset], (p.row + row < params.height) & (p.column + column < params.width));
}

fn store(p: u32, out: u32, channel: u32, bias_start: u32, a: vec4f, b: vec4f) {
  if (p >= params.batch * params.out_height * params.out_width) { return; }
  for (var k = 0u; k < 8u && channel + k < params.out_channels; k++) {
    var v = select(a[k % 4u], b[k % 4u], k > 3u);
    if (params.has_bias == 1u) { v += bias[bias_start + channel + k]; }
    y[out + (channel + k) * params.out_height * params.out_width] = v;
  }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.tiles * params.channel_tiles * params.groups) { return; }
  let tile = i % params.tiles;
  let channel = (i / params.tiles) % params.channel_tiles * 8u; let group = i / params.tiles / params.channel_tiles;
  // Beyond the last channel its weights are used again, and nothing is stored.
  let last = params.out_channels - 1u;
  let w_base = id.z * params.weight_stride + params.w_start + group * params.w_group;
  let w0 = min(channel + 0u, last) * params.w_out; let w1 = min(channel + 1u, last) * params.w_out;
  let w2 = min(channel + 2u, last) * params.w_out; let w3 = min(channel + 3u, last) * params.w_out;
  let w4 = min(channel + 4u, last) * params.w_out; let w5 = min(channel + 5u, last) * params.w_out;
  let w6 = min(channel + 6u, last) * params.w_out; let w7 = min(channel + 7u, last) * params.w_out;
  let p0 = pixel(tile + 0u * params.tiles, group, id.z); var a0 = vec4f(); var b0 = vec4f();
  let p1 = pixel(tile + 1u * params.tiles, group, id.z); var a1 = vec4f(); var b1 = vec4f();
  let p2 = pixel(tile + 2u * params.tiles, group, id.z); var a2 = vec4f(); var b2 = vec4f();
  let p3 = pixel(tile + 3u * params.tiles, group, id.z); var a3 = vec4f(); var b3 = vec4f();
  let p4 = pixel(tile + 4u * params.tiles, group, id.z); var a4 = vec4f(); var b4 = vec4f();
  let p5 = pixel(tile + 5u * params.tiles, group, id.z); var a5 = vec4f(); var b5 = vec4f();
  let p6 = pixel(tile + 6u * params.tiles, group, id.z); var a6 = vec4f(); var b6 = vec4f();
  let p7 = pixel(tile + 7u * params.tiles, group, id.z); var a7 = vec4f(); var b7 = vec4f();
  for (var c = 0u; c < params.in_channels; c++) {
    for (var ky = 0u; ky < params.kernel_height; ky++) {
      for (var kx = 0u; kx < params.kernel_width; kx++) {
        let row = ky * params.dilation_y; let column = kx * params.dilation_x;
        let offset = (c * params.height + row) * params.width + column;
        let at = w_base + c * params.w_in + ky * params.w_y + kx * params.w_x;
        let u = vec4f(weight[at + w0], weight[at + w1], weight[at + w2], weight[at + w3]);
        let v = vec4f(weight[at + w4], weight[at + w5], weight[at + w6], weight[at + w7]);
        let x0 = load(p0, row, column, offset); a0 += x0 * u; b0 += x0 * v;
        let x1 = load(p1, row, column, offset); a1 += x1 * u; b1 += x1 * v;
        let x2 = load(p2, row, column, offset); a2 += x2 * u; b2 += x2 * v;
        let x3 = load(p3, row, column, offset); a3 += x3 * u; b3 += x3 * v;
        let x4 = load(p4, row, column, offset); a4 += x4 * u; b4 += x4 * v;
        let x5 = load(p5, row, column, offset); a5 += x5 * u; b5 += x5 * v;
        let x6 = load(p6, row, column, offset); a6 += x6 * u; b6 += x6 * v;
        let x7 = load(p7, row, column, offset); a7 += x7 * u; b7 += x7 * v;
      }
    }
  }
  let bias_start = id.z * params.bias_stride + group * params.out_channels;
  store(tile + 0u * params.tiles, p0.out, channel, bias_start, a0, b0);
  store(tile + 1u * params.tiles, p1.out, channel, bias_start, a1, b1);
  store(tile + 2u * params.tiles, p2.out, channel, bias_start, a2, b2);
  store(tile + 3u * params.tiles, p3.out, channel, bias_start, a3, b3);
  store(tile + 4u * params.tiles, p4.out, channel, bias_start, a4, b4);
  store(tile + 5u * params.tiles, p5.out, channel, bias_start, a5, b5);
  store(tile + 6u * params.tiles, p6.out, channel, bias_start, a6, b6);
  store(tile + 7u * params.tiles, p7.out, channel, bias_start, a7, b7);
}
