// Sums of dw over parts of the batch: part[p, o, c, ky, kx] = sum over the rows of part p and their pixels of dy[n, o,
// i, j] x[n, c, i * stride + ky * dilation - pad, ...]. First half of the gradient of torch.nn.functional.conv2d and
// conv1d with respect to the weight; conv/add-parts adds the parts. A row is (sample, output row); part p holds rows p
// * rows_of_part onwards. x [batch, groups * in_channels, height, width], dy [batch, groups * out_channels, out_height,
// out_width]; a part is `length` long and begins with its weights. One invocation computes 8 output channels of 9
// places (c, ky, kx) of one part in registers: 17 loads serve 72 multiply-adds.
struct Params {
  n: u32, // invocations
  rows_of_part: u32,
  length: u32,
  place_tiles: u32, // ceil(in_channels * kernel_height * kernel_width / 9)
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
  x_stride: u32,
  dy_stride: u32,
  part_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> part: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// Where place k looks, seen from its pixel: rows and columns (which wrap below 0), and elements from the group's first
// channel.
struct Place { row: u32, column: u32, offset: u32 }

fn place(k: u32) -> Place {
  let q = k / params.kernel_width;
  let c = q / params.kernel_height;
  let row = (q - c * params.kernel_height) * params.dilation_y - params.pad_y;
  let column = (k - q * params.kernel_width) * params.dilation_x - params.pad_x;
  return Place(row, column, (c * params.height + row) * params.width + column);
}

fn load(at: u32, inside: bool, column: u32) -> f32 { return select(0.0, x[at], inside & (column < params.width)); }

fn store(start: u32, k: u32, channel: u32, a: vec4f, b: vec4f) {
  let places = params.in_channels * params.kernel_height * params.kernel_width;
  if (k >= places) { return; }
  for (var o = 0u; o < 8u && channel + o < params.out_channels; o++) {
    part[start + (channel + o) * places + k] = select(a[o % 4u], b[o % 4u], o > 3u);
  }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let e = id.y * 2097152u + id.x;
  if (e >= params.n) { return; }
  let places = params.in_channels * params.kernel_height * params.kernel_width;
  var q = e / params.place_tiles;
  let k = (e - q * params.place_tiles) * 9u;
  let channel = (q % params.channel_tiles) * 8u; q /= params.channel_tiles;
  let group = q % params.groups;
  let p = q / params.groups;
  // Beyond the last place and channel those are used again, and nothing is stored.
  let area = params.out_height * params.out_width;
  let last = params.out_channels - 1u;
  let o0 = min(channel + 0u, last) * area; let o1 = min(channel + 1u, last) * area;
  let o2 = min(channel + 2u, last) * area; let o3 = min(channel + 3u, last) * area;
  let o4 = min(channel + 4u, last) * area; let o5 = min(channel + 5u, last) * area;
  let o6 = min(channel + 6u, last) * area; let o7 = min(channel + 7u, last) * area;
  let p0 = place(min(k + 0u, places - 1u)); var a0 = vec4f(); var b0 = vec4f();
  let p1 = place(min(k + 1u, places - 1u)); var a1 = vec4f(); var b1 = vec4f();
  let p2 = place(min(k + 2u, places - 1u)); var a2 = vec4f(); var b2 = vec4f();
  let p3 = place(min(k + 3u, places - 1u)); var a3 = vec4f(); var b3 = vec4f();
  let p4 = place(min(k + 4u, places - 1u)); var a4 = vec4f(); var b4 = vec4f();
  let p5 = place(min(k + 5u, places - 1u)); var a5 = vec4f(); var b5 = vec4f();
  let p6 = place(min(k + 6u, places - 1u)); var a6 = vec4f(); var b6 = vec4f();
  let p7 = place(min(k + 7u, places - 1u)); var a7 = vec4f(); var b7 = vec4f();
  let p8 = place(min(k + 8u, places - 1u)); var a8 = vec4f(); var b8 = vec4f();
  let end = min(params.batch * params.out_height, (p + 1u) * params.rows_of_part);
  for (var row = p * params.rows_of_part; row < end; row++) {
    let n = row / params.out_height;
    let i = row - n * params.out_height;
    let top = i * params.stride_y;
    let plane = n * params.groups + group;
    var s = id.z * params.x_stride + (plane * params.in_channels * params.height + top) * params.width;
    var d = id.z * params.dy_stride + (plane * params.out_channels * params.out_height + i) * params.out_width;
    let r0 = top + p0.row < params.height; let r1 = top + p1.row < params.height; let r2 = top + p2.row < params.height;
    let r3 = top + p3.row < params.height; let r4 = top + p4.row < params.height; let r5 = top + p5.row < params.height;
    let r6 = top + p6.row < params.height; let r7 = top + p7.row < params.height; let r8 = top + p8.row < params.height;
    for (var j = 0u; j < params.out_width * params.stride_x; j += params.stride_x) {
      let u = vec4f(dy[d + o0], dy[d + o1], dy[d + o2], dy[d + o3]);
      let v = vec4f(dy[d + o4], dy[d + o5], dy[d + o6], dy[d + o7]);
      let x0 = load(s + p0.offset, r0, j + p0.column); a0 += x0 * u; b0 += x0 * v;
      let x1 = load(s + p1.offset, r1, j + p1.column); a1 += x1 * u; b1 += x1 * v;
      let x2 = load(s + p2.offset, r2, j + p2.column); a2 += x2 * u; b2 += x2 * v;
      let x3 = load(s + p3.offset, r3, j + p3.column); a3 += x3 * u; b3 += x3 * v;
      let x4 = load(s + p4.offset, r4, j + p4.column); a4 += x4 * u; b4 += x4 * v;
      let x5 = load(s + p5.offset, r5, j + p5.column); a5 += x5 * u; b5 += x5 * v;
      let x6 = load(s + p6.offset, r6, j + p6.column); a6 += x6 * u; b6 += x6 * v;
      let x7 = load(s + p7.offset, r7, j + p7.column); a7 += x7 * u; b7 += x7 * v;
      let x8 = load(s + p8.offset, r8, j + p8.column); a8 += x8 * u; b8 += x8 * v;
      s += params.stride_x;
      d++;
    }
  }
  let start = id.z * params.part_stride + p * params.length + group * params.out_channels * places;
  store(start, k + 0u, channel, a0, b0); store(start, k + 1u, channel, a1, b1); store(start, k + 2u, channel, a2, b2);
  store(start, k + 3u, channel, a3, b3); store(start, k + 4u, channel, a4, b4); store(start, k + 5u, channel, a5, b5);
  store(start, k + 6u, channel, a6, b6); store(start, k + 7u, channel, a7, b7); store(start, k + 8u, channel, a8, b8);
}
