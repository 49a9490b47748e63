// The spreading of ops/sum-grad, four neighbours per invocation: dx[o, k, i] = dy[o, i] / divisor. With inner = 1
// (REPEAT) all four take the same dy, n being a multiple of 4; else they take four neighbours, inner being one. Exists
// because the divisions of the index then serve four elements. dy [outer, inner], dx [outer, n, inner].
override REPEAT: u32 = 0u;

struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  divisor: f32,
  dy_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read_write> dx: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let plane = params.n * params.inner / 4u;
  if (i >= params.outer * plane) { return; }
  let start = id.z * params.dy_stride;
  var slope = vec4f();
  if (REPEAT == 1u) {
    slope = vec4f(dy[start + i / plane]);
  } else {
    let inner = params.inner / 4u;
    let j = start + (i / plane * inner + i % inner) * 4u;
    slope = vec4f(dy[j], dy[j + 1u], dy[j + 2u], dy[j + 3u]);
  }
  dx[id.z * params.dx_stride / 4u + i] = slope / params.divisor;
}
