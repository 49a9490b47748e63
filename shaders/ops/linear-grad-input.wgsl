// dx = dy W: gradient of torch.nn.functional.linear with respect to its input, for layers with few multiply-adds.
// dy [batch, out_features], weight [out_features, in_features], dx [batch, in_features].
// One invocation computes four neighbours of a row of dx: each one sum over the output features in order, and dy is
// read once for all four. No barriers.
override WIDTH: u32 = 32u;
override DEPTH: u32 = 1u; // instances per workgroup

struct Params {
  batch: u32,
  in_features: u32,
  out_features: u32,
  dy_stride: u32,
  weight_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(WIDTH, 1, DEPTH)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 1048576u + id.x;
  let width = (params.in_features + 3u) / 4u;
  if (i >= params.batch * width) { return; }
  let row = i / width;
  let first = i % width * 4u;
  let dy_start = id.z * params.dy_stride + row * params.out_features;
  var w = id.z * params.weight_stride + first;
  // Past the end of a row the four take what follows there, and nobody keeps it.
  var sum = vec4f();
  for (var k = 0u; k < params.out_features; k++) {
    sum += dy[dy_start + k] * vec4f(weight[w], weight[w + 1u], weight[w + 2u], weight[w + 3u]);
    w += params.in_features;
  }
  let to = id.z * params.dx_stride + row * params.in_features + first;
  for (var c = 0u; c < min(4u, params.in_features - first); c++) { dx[to + c] = sum[c]; }
}
