// y = x (FROM_X, else 0), then y[o, index[o, j, i], i] = or, with ADD, += src[o, j, i] (FROM_SRC, else 0), j by j:
// torch.scatter, torch.scatter_add and the gradients of scatter and gather. x, y [outer, n, inner], index, src [outer,
// picks, inner]. One invocation per line (o, i), in order. An index out of range poisons the line's first element.
override ADD: u32 = 0u;
override FROM_X: u32 = 1u;
override FROM_SRC: u32 = 1u;

struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  picks: u32,
  x_stride: u32,
  index_stride: u32,
  src_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> index: array<i32>;
@group(0) @binding(2) var<storage, read> src: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let line = id.y * 2097152u + id.x;
  if (line >= params.outer * params.inner) { return; }
  let o = line / params.inner;
  let i = line % params.inner;
  let y_start = id.z * params.y_stride + o * params.n * params.inner + i;
  let x_start = id.z * params.x_stride + o * params.n * params.inner + i;
  for (var k = 0u; k < params.n; k++) {
    var v = 0.0;
    if (FROM_X == 1u) { v = x[x_start + k * params.inner]; }
    y[y_start + k * params.inner] = v;
  }
  for (var j = 0u; j < params.picks; j++) {
    let pick = (o * params.picks + j) * params.inner + i;
    let k = index[id.z * params.index_stride + pick];
    var v = 0.0;
    if (FROM_SRC == 1u) { v = src[id.z * params.src_stride + pick]; }
    let outside = k < 0 || k >= i32(params.n);
    let to = y_start + select(u32(k), 0u, outside) * params.inner;
    if (outside) { v = bitcast<f32>(0x7fc00000u | params.n); }
    if (ADD == 1u) { v += y[to]; }
    y[to] = v;
  }
}
