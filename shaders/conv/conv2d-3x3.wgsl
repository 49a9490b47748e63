// y = conv(x, w) + bias for 3 x 3 kernels of stride and dilation 1: torch.nn.functional.conv2d of most networks, and
// with the weight turned by its steps the gradient of its input. Shapes, steps and bits as in conv/conv2d; faster
// because what is loaded of x serves all places of the kernel. One invocation computes 7 rows and 2 columns of 8 output
// channels in registers: 108 loads serve 1008 multiply-adds; neighbours take neighbouring columns. a, b: weights of
// channels 0-3 and 4-7; p, q, r, s: sums of (column 0, a), (column 0, b), (column 1, a), (column 1, b).
struct Params {
  n: u32, // invocations
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

fn load(at: u32, row: u32, column: u32) -> f32 {
  return select(0.0, x[at], (row < params.height) & (column < params.width));
}

// Four neighbours of a row, 0 outside the image. (Not &&: its branches take software adapters seconds to compile.)
fn window(at: u32, row: u32, column: u32) -> vec4f {
  return vec4f(load(at, row, column), load(at + 1u, row, column + 1u), load(at + 2u, row, column + 2u),
    load(at + 3u, row, column + 3u));
}

// One place of the kernel for four channels, which stand o apart.
fn tap(at: u32, o: vec4u) -> vec4f {
  return vec4f(weight[at + o.x], weight[at + o.y], weight[at + o.z], weight[at + o.w]);
}

// Beyond the last channel `plane` and `bias` are those of the last one, whose sums are there again: the same value is
// written twice.
fn store(out: u32, plane: vec4u, bias: vec4f, sums: vec4f) {
  let v = sums + bias;
  y[out + plane.x] = v.x; y[out + plane.y] = v.y; y[out + plane.z] = v.z; y[out + plane.w] = v.w;
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  var t = i / params.column_tiles; let column = (i - t * params.column_tiles) * 2u;
  let row = (t % params.row_tiles) * 7u; t /= params.row_tiles;
  // t: sample and group
  let channel = (t % params.channel_tiles) * 8u; t /= params.channel_tiles; let group = t % params.groups;
  let top = row - params.pad_y; let left = column - params.pad_x; // wrap below 0, and are then too large
  var d = id.z * params.x_stride + (t * params.in_channels * params.height + top) * params.width + left;
  var w = id.z * params.weight_stride + params.w_start + group * params.w_group;
  let last = vec4u(params.out_channels - 1u); let lo = min(channel + vec4u(0u, 1u, 2u, 3u), last);
  let wa = lo * params.w_out;
  let hi = min(channel + vec4u(4u, 5u, 6u, 7u), last); let wb = hi * params.w_out;
  var p0 = vec4f(); var q0 = vec4f(); var r0 = vec4f(); var s0 = vec4f(); var p1 = vec4f(); var q1 = vec4f();
  var r1 = vec4f(); var s1 = vec4f();
  var p2 = vec4f(); var q2 = vec4f(); var r2 = vec4f(); var s2 = vec4f(); var p3 = vec4f(); var q3 = vec4f();
  var r3 = vec4f(); var s3 = vec4f();
  var p4 = vec4f(); var q4 = vec4f(); var r4 = vec4f(); var s4 = vec4f(); var p5 = vec4f(); var q5 = vec4f();
  var r5 = vec4f(); var s5 = vec4f();
  var p6 = vec4f(); var q6 = vec4f(); var r6 = vec4f(); var s6 = vec4f();
  for (var c = 0u; c < params.in_channels; c++) {
    let a00 = tap(w, wa); let b00 = tap(w, wb); let a01 = tap(w + params.w_x, wa); let b01 = tap(w + params.w_x, wb);
    let a02 = tap(w + 2u * params.w_x, wa); let b02 = tap(w + 2u * params.w_x, wb);
    let a10 = tap(w + params.w_y, wa); let b10 = tap(w + params.w_y, wb);
    let a11 = tap(w + params.w_y + params.w_x, wa); let b11 = tap(w + params.w_y + params.w_x, wb);
    let a12 = tap(w + params.w_y + 2u * params.w_x, wa); let b12 = tap(w + params.w_y + 2u * params.w_x, wb);
    let a20 = tap(w + 2u * params.w_y, wa); let b20 = tap(w + 2u * params.w_y, wb);
    let a21 = tap(w + 2u * params.w_y + params.w_x, wa); let b21 = tap(w + 2u * params.w_y + params.w_x, wb);
    let a22 = tap(w + 2u * params.w_y + 2u * params.w_x, wa); let b22 = tap(w + 2u * params.w_y + 2u * params.w_x, wb);
    let v0 = window(d + 0u * params.width, top + 0u, left);
    p0 += v0.x * a00; q0 += v0.x * b00; r0 += v0.y * a00; s0 += v0.y * b00; p0 += v0.y * a01; q0 += v0.y * b01;
    r0 += v0.z * a01; s0 += v0.z * b01; p0 += v0.z * a02; q0 += v0.z * b02; r0 += v0.w * a02; s0 += v0.w * b02;
    let v1 = window(d + 1u * params.width, top + 1u, left);
    p0 += v1.x * a10; q0 += v1.x * b10; r0 += v1.y * a10; s0 += v1.y * b10; p0 += v1.y * a11; q0 += v1.y * b11;
    r0 += v1.z * a11; s0 += v1.z * b11; p0 += v1.z * a12; q0 += v1.z * b12; r0 += v1.w * a12; s0 += v1.w * b12;
    p1 += v1.x * a00; q1 += v1.x * b00; r1 += v1.y * a00; s1 += v1.y * b00; p1 += v1.y * a01; q1 += v1.y * b01;
    r1 += v1.z * a01; s1 += v1.z * b01; p1 += v1.z * a02; q1 += v1.z * b02; r1 += v1.w * a02; s1 += v1.w * b02;
    let v2 = window(d + 2u * params.width, top + 2u, left);
    p0 += v2.x * a20; q0 += v2.x * b20; r0 += v2.y * a20; s0 += v2.y * b20; p0 += v2.y * a21; q0 += v2.y * b21;
    r0 += v2.z * a21; s0 += v2.z * b21; p0 += v2.z * a22; q0 += v2.z * b22; r0 += v2.w * a22; s0 += v2.w * b22;
    p1 += v2.x * a10; q1 += v2.x * b10; r1 += v2.y * a10; s1 += v2.y * b10; p1 += v2.y * a11; q1 += v2.y * b11;
    r1 += v2.z * a11; s1 += v2.z * b11; p1 += v2.z * a12; q1 += v2.z * b12; r1 += v2.w * a12; s1 += v2.w * b12;
    p2 += v2.x * a00; q2 += v2.x * b00; r2 += v2.y * a00; s2 += v2.y * b00; p2 += v2.y * a01; q2 += v2.y * b01;
    r2 += v2.z * a01; s2 += v2.z * b01; p2 += v2.z * a02; q2 += v2.z * b02; r2 += v2.w * a02; s2 += v2.w * b02;
    let v3 = window(d + 3u * params.width, top + 3u, left);
    p1 += v3.x * a20; q1 += v3.x * b20; r1 += v3.y * a20; s1 += v3.y * b20; p1 += v3.y * a21; q1 += v3.y * b21;
    r1 += v3.z * a21; s1 += v3.z * b21; p1 += v3.z * a22; q1 += v3.z * b22; r1 += v3.w * a22; s1 += v3.w * b22;
    p2 += v3.x * a10; q2 += v3.x * b10; r2 += v3.y * a10; s2 += v3.y * b10; p2 += v3.y * a11; q2 += v3.y * b11;
    r2 += v3.z * a11; s2 += v3.z * b11; p2 += v3.z * a12; q2 += v3.z * b12; r2 += v3.w * a12; s2 += v3.w * b12;
    p3 += v3.x * a00; q3 += v3.x * b00; r3 += v3.y * a00; s3 += v3.y * b00; p3 += v3.y * a01; q3 += v3.y * b01;
    r3 += v3.z * a01; s3 += v3.z * b01; p3 += v3.z * a02; q3 += v3.z * b02; r3 += v3.w * a02; s3 += v3.w * b02;
    let v4 = window(d + 4u * params.width, top + 4u, left);
    p2 += v4.x * a20; q2 += v4.x * b20; r2 += v4.y * a20; s2 += v4.y * b20; p2 += v4.y * a21; q2 += v4.y * b21;
    r2 += v4.z * a21; s2 += v4.z * b21; p2 += v4.z * a22; q2 += v4.z * b22; r2 += v4.w * a22; s2 += v4.w * b22;
    p3 += v4.x * a10; q3 += v4.x * b10; r3 += v4.y * a10; s3 += v4.y * b10; p3 += v4.y * a11; q3 += v4.y * b11;
    r3 += v4.z * a11; s3 += v4.z * b11; p3 += v4.z * a12; q3 += v4.z * b12; r3 += v4.w * a12; s3 += v4.w * b12;
    p4 += v4.x * a00; q4 += v4.x * b00; r4 += v4.y * a00; s4 += v4.y * b00; p4 += v4.y * a01; q4 += v4.y * b01;
    r4 += v4.z * a01; s4 += v4.z * b01; p4 += v4.z * a02; q4 += v4.z * b02; r4 += v4.w * a02; s4 += v4.w * b02;
    let v5 = window(d + 5u * params.width, top + 5u, left);
    p3 += v5.x * a20; q3 += v5.x * b20; r3 += v5.y * a20; s3 += v5.y * b20; p3 += v5.y * a21; q3 += v5.y * b21;
    r3 += v5.z * a21; s3 += v5.z * b21; p3 += v5.z * a22; q3 += v5.z * b22; r3 += v5.w * a22; s3 += v5.w * b22;
    p4 += v5.x * a10; q4 += v5.x * b10; r4 += v5.y * a10; s4 += v5.y * b10; p4 += v5.y * a11; q4 += v5.y * b11;
    r4 += v5.z * a11; s4 += v5.z * b11; p4 += v5.z * a12; q4 += v5.z * b12; r4 += v5.w * a12; s4 += v5.w * b12;
    p5 += v5.x * a00; q5 += v5.x * b00; r5 += v5.y * a00; s5 += v5.y * b00; p5 += v5.y * a01; q5 += v5.y * b01;
    r5 += v5.z * a01; s5 += v5.z * b01; p5 += v5.z * a02; q5 += v5.z * b02; r5 += v5.w * a02; s5 += v5.w * b02;
    let v6 = window(d + 6u * params.width, top + 6u, left);
    p4 += v6.x * a20; q4 += v6.x * b20; r4 += v6.y * a20; s4 += v6.y * b20; p4 += v6.y * a21; q4 += v6.y * b21;
    r4 += v6.z * a21; s4 += v6.z * b21; p4 += v6.z * a22; q4 += v6.z * b22; r4 += v6.w * a22; s4 += v6.w * b22;
    p5 += v6.x * a10; q5 += v6.x * b10; r5 += v6.y * a10; s5 += v6.y * b10; p5 += v6.y * a11; q5 += v6.y * b11;
    r5 += v6.z * a11; s5 += v6.z * b11; p5 += v6.z * a12; q5 += v6.z * b12; r5 += v6.w * a12; s5 += v6.w * b12;
    p6 += v6.x * a00; q6 += v6.x * b00; r6 += v6.y * a00; s6 += v6.y * b00; p6 += v6.y * a01; q6 += v6.y * b01;
    r6 += v6.z * a01; s6 += v6.z * b01; p6 += v6.z * a02; q6 += v6.z * b02; r6 += v6.w * a02; s6 += v6.w * b02;
    let v7 = window(d + 7u * params.width, top + 7u, left);
    p5 += v7.x * a20; q5 += v7.x * b20; r5 += v7.y * a20; s5 += v7.y * b20; p5 += v7.y * a21; q5 += v7.y * b21;
    r5 += v7.z * a21; s5 += v7.z * b21; p5 += v7.z * a22; q5 += v7.z * b22; r5 += v7.w * a22; s5 += v7.w * b22;
    p6 += v7.x * a10; q6 += v7.x * b10; r6 += v7.y * a10; s6 += v7.y * b10; p6 += v7.y * a11; q6 += v7.y * b11;
    r6 += v7.z * a11; s6 += v7.z * b11; p6 += v7.z * a12; q6 += v7.z * b12; r6 += v7.w * a12; s6 += v7.w * b12;
    let v8 = window(d + 8u * params.width, top + 8u, left);
    p6 += v8.x * a20; q6 += v8.x * b20; r6 += v8.y * a20; s6 += v8.y * b20; p6 += v8.y * a21; q6 += v8.y * b21;
    r6 += v8.z * a21; s6 += v8.z * b21; p6 += v8.z * a22; q6 += v8.z * b22; r6 += v8.w * a22; s6 += v8.w * b22;
    d += params.height * params.width; w += params.w_in;
  }
  let out = id.z * params.y_stride + (t * params.out_channels * params.out_height + row) * params.out_width + column;
  let start = id.z * params.bias_stride + group * params.out_channels;
  let b = vec4f(bias[start + lo.x], bias[start + lo.y], bias[start + lo.z], bias[start + lo.w]);
  let c = vec4f(bias[start + hi.x], bias[start + hi.y], bias[start + hi.z], bias[start + hi.w]);
  let has_bias = params.has_bias == 1u; let bias_lo = select(vec4f(), b, has_bias);
  let bias_hi = select(vec4f(), c, has_bias);
  let plane = params.out_height * params.out_width; let plane_lo = lo * plane; let plane_hi = hi * plane;
  let second = column + 1u < params.out_width;
  store(out, plane_lo, bias_lo, p0); store(out, plane_hi, bias_hi, q0);
  if (second) { store(out + 1u, plane_lo, bias_lo, r0); store(out + 1u, plane_hi, bias_hi, s0); }
  if (row + 1u < params.out_height) {
    store(out + params.out_width, plane_lo, bias_lo, p1); store(out + params.out_width, plane_hi, bias_hi, q1);
    if (second) {
      store(out + params.out_width + 1u, plane_lo, bias_lo, r1);
      store(out + params.out_width + 1u, plane_hi, bias_hi, s1);
    }
  }
  if (row + 2u < params.out_height) {
    store(out + 2u * params.out_width, plane_lo, bias_lo, p2);
    store(out + 2u * params.out_width, plane_hi, bias_hi, q2);
    if (second) {
      store(out + 2u * params.out_width + 1u, plane_lo, bias_lo, r2);
      store(out + 2u * params.out_width + 1u, plane_hi, bias_hi, s2);
    }
  }
  if (row + 3u < params.out_height) {
    store(out + 3u * params.out_width, plane_lo, bias_lo, p3);
    store(out + 3u * params.out_width, plane_hi, bias_hi, q3);
    if (second) {
      store(out + 3u * params.out_width + 1u, plane_lo, bias_lo, r3);
      store(out + 3u * params.out_width + 1u, plane_hi, bias_hi, s3);
    }
  }
  if (row + 4u < params.out_height) {
    store(out + 4u * params.out_width, plane_lo, bias_lo, p4);
    store(out + 4u * params.out_width, plane_hi, bias_hi, q4);
    if (second) {
      store(out + 4u * params.out_width + 1u, plane_lo, bias_lo, r4);
      store(out + 4u * params.out_width + 1u, plane_hi, bias_hi, s4);
    }
  }
  if (row + 5u < params.out_height) {
    store(out + 5u * params.out_width, plane_lo, bias_lo, p5);
    store(out + 5u * params.out_width, plane_hi, bias_hi, q5);
    if (second) {
      store(out + 5u * params.out_width + 1u, plane_lo, bias_lo, r5);
      store(out + 5u * params.out_width + 1u, plane_hi, bias_hi, s5);
    }
  }
  if (row + 6u < params.out_height) {
    store(out + 6u * params.out_width, plane_lo, bias_lo, p6);
    store(out + 6u * params.out_width, plane_hi, bias_hi, q6);
    if (second) {
      store(out + 6u * params.out_width + 1u, plane_lo, bias_lo, r6);
      store(out + 6u * params.out_width + 1u, plane_hi, bias_hi, s6);
    }
  }
}
