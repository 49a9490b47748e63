// y and index as in conv/max-pool2d, for windows of 2 x 2 that touch (torch.nn.functional.max_pool2d(x, 2)): four loads without a loop.
// x [planes, height, width], y and index [planes, out_height, out_width]; a last odd row or column belongs to no window. One invocation
// computes one window.
struct Params {
  n: u32, // windows of all planes
  height: u32,
  width: u32,
  out_height: u32,
  out_width: u32,
  x_stride: u32,
  y_stride: u32,
  index_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> index: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

// Whether v takes over from the best before it: if larger, or NaN (by its bits, since a compiler may assume that there is none).
fn wins(v: f32, best: f32) -> bool { return (v > best) | ((bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u); }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let e = id.y * 2097152u + id.x;
  if (e >= params.n) { return; }
  let q = e / params.out_width;
  let column = (e - q * params.out_width) * 2u;
  let plane = q / params.out_height;
  let k = (q - plane * params.out_height) * 2u * params.width + column;
  let s = id.z * params.x_stride + plane * params.height * params.width + k;
  let v = vec4f(x[s], x[s + 1u], x[s + params.width], x[s + params.width + 1u]);
  let b = wins(v.y, v.x); let best_b = select(v.x, v.y, b); let place_b = select(k, k + 1u, b);
  let c = wins(v.z, best_b); let best_c = select(best_b, v.z, c); let place_c = select(place_b, k + params.width, c);
  let d = wins(v.w, best_c);
  y[id.z * params.y_stride + e] = select(best_c, v.w, d);
  index[id.z * params.index_stride + e] = i32(select(place_c, k + params.width + 1u, d));
}
