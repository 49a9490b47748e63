// y = sum of a window / the number of elements that it counts: torch.nn.functional.avg_pool2d and adaptive_avg_pool2d.
// x [planes, height, width], y [planes, out_height, out_width]. counting 0: elements of the image, 1: padding too
// (count_include_pad), 2: adaptive, where window i is floor(i * size / out) .. ceil((i + 1) * size / out). One
// invocation computes one window.
struct Params {
  n: u32, // windows of all planes
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
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// Elements x .. y - 1 that window i covers in one dimension, and in z how many it counts.
fn span(i: u32, size: u32, out: u32, kernel: u32, stride: u32, pad: u32) -> vec3u {
  if (params.counting == 2u) {
    let adaptive = vec2u(i * size / out, ((i + 1u) * size + out - 1u) / out);
    return vec3u(adaptive, adaptive.y - adaptive.x);
  }
  let start = i * stride; // padding counted
  let end = min(start + kernel, size + 2u * pad);
  let inside = vec2u(max(start, pad) - pad, min(end, size + pad) - pad);
  return vec3u(inside, select(inside.y - inside.x, end - start, params.counting == 1u));
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let e = id.y * 2097152u + id.x;
  if (e >= params.n) { return; }
  let q = e / params.out_width;
  let plane = q / params.out_height;
  let rows = span(q - plane * params.out_height, params.height, params.out_height, params.kernel_y, params.stride_y,
    params.pad_y);
  let columns = span(e - q * params.out_width, params.width, params.out_width, params.kernel_x, params.stride_x,
    params.pad_x);
  let source = id.z * params.x_stride + plane * params.height * params.width;
  var sum = 0.0;
  for (var r = rows.x; r < rows.y; r++) {
    for (var k = columns.x; k < columns.y; k++) { sum += x[source + r * params.width + k]; }
  }
  y[id.z * params.y_stride + e] = sum / f32(rows.z * columns.z);
}
