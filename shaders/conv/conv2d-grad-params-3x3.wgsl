// Sums of dw over parts of the batch as conv/conv2d-grad-params, for 3 x 3 kernels of stride and dilation 1
// (torch.nn.functional.conv2d of most networks): faster because a window of x slides along the row, so that 11 loads
// serve 72 multiply-adds. Shapes, parts and bits as there. One invocation computes 8 output channels of the 9 places of
// one input channel of one part. a, b: sums of channels 0-3 and 4-7 by place (row, column).
struct Params {
  n: u32, // invocations
  rows_of_part: u32,
  length: u32,
  channel_tiles: u32, // ceil(out_channels / 8)
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
  x_stride: u32,
  dy_stride: u32,
  part_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> dy: array<f32>;
@group(0) @binding(2) var<storage, read_write> part: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// One column of the window, 0 outside the image. (Not &&: its branches take software adapters seconds to compile.)
fn load(at: u32, column: u32, inside: vec3<bool>) -> vec3f {
  let v = vec3f(x[at], x[at + params.width], x[at + 2u * params.width]);
  return select(vec3f(), v, inside & vec3<bool>(column < params.width));
}

// Beyond the last channel the same value is written twice.
fn store(to: u32, o: vec4u, sums: vec4f) {
  part[to + o.x] = sums.x; part[to + o.y] = sums.y; part[to + o.z] = sums.z; part[to + o.w] = sums.w;
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let e = id.y * 2097152u + id.x;
  if (e >= params.n) { return; }
  var q = e / params.in_channels;
  let c = e - q * params.in_channels;
  let channel = (q % params.channel_tiles) * 8u; q /= params.channel_tiles;
  let group = q % params.groups;
  let p = q / params.groups;
  let area = params.out_height * params.out_width;
  let last = vec4u(params.out_channels - 1u); // beyond it its gradients are used again
  let lo = min(channel + vec4u(0u, 1u, 2u, 3u), last); let o = lo * area;
  let hi = min(channel + vec4u(4u, 5u, 6u, 7u), last); let h = hi * area;
  var a00 = vec4f(); var b00 = vec4f(); var a01 = vec4f(); var b01 = vec4f(); var a02 = vec4f(); var b02 = vec4f();
  var a10 = vec4f(); var b10 = vec4f(); var a11 = vec4f(); var b11 = vec4f(); var a12 = vec4f(); var b12 = vec4f();
  var a20 = vec4f(); var b20 = vec4f(); var a21 = vec4f(); var b21 = vec4f(); var a22 = vec4f(); var b22 = vec4f();
  let end = min(params.batch * params.out_height, (p + 1u) * params.rows_of_part);
  for (var row = p * params.rows_of_part; row < end; row++) {
    let n = row / params.out_height;
    let i = row - n * params.out_height;
    let top = i - params.pad_y; // wraps below 0, and is then too large
    let inside = vec3u(top, top + 1u, top + 2u) < vec3u(params.height);
    let plane = n * params.groups + group;
    var s = id.z * params.x_stride + ((plane * params.in_channels + c) * params.height + top) * params.width
      - params.pad_x;
    var d = id.z * params.dy_stride + (plane * params.out_channels * params.out_height + i) * params.out_width;
    var l = load(s, 0u - params.pad_x, inside);
    var m = load(s + 1u, 1u - params.pad_x, inside);
    for (var j = 0u; j < params.out_width; j++) {
      let r = load(s + j + 2u, j + 2u - params.pad_x, inside);
      let u = vec4f(dy[d + o.x], dy[d + o.y], dy[d + o.z], dy[d + o.w]);
      let v = vec4f(dy[d + h.x], dy[d + h.y], dy[d + h.z], dy[d + h.w]);
      a00 += l.x * u; b00 += l.x * v; a01 += m.x * u; b01 += m.x * v; a02 += r.x * u; b02 += r.x * v;
      a10 += l.y * u; b10 += l.y * v; a11 += m.y * u; b11 += m.y * v; a12 += r.y * u; b12 += r.y * v;
      a20 += l.z * u; b20 += l.z * v; a21 += m.z * u; b21 += m.z * v; a22 += r.z * u; b22 += r.z * v;
      l = m; m = r;
      d++;
    }
  }
  let places = params.in_channels * 9u;
  let to = id.z * params.part_stride + p * params.length + group * params.out_channels * places + c * 9u;
  store(to + 0u, lo * places, a00); store(to + 0u, hi * places, b00); store(to + 1u, lo * places, a01);
  store(to + 1u, hi * places, b01); store(to + 2u, lo * places, a02); store(to + 2u, hi * places, b02);
  store(to + 3u, lo * places, a10); store(to + 3u, hi * places, b10); store(to + 4u, lo * places, a11);
  store(to + 4u, hi * places, b11); store(to + 5u, lo * places, a12); store(to + 5u, hi * places, b12);
  store(to + 6u, lo * places, a20); store(to + 6u, hi * places, b20); store(to + 7u, lo * places, a21);
  store(to + 7u, hi * places, b21); store(to + 8u, lo * places, a22); store(to + 8u, hi * places, b22);
}
