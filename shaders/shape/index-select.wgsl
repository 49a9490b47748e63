// y[o, j, i] = x[o, index[j], i]: torch.index_select, and torch.nn.functional.embedding with outer 1. x [outer, n,
// inner], index [picks], y [outer, picks, inner]. NaN where an index is out of range; with PART, x
// has the rows from `first` on of a larger table, and 0 stands for the others. One invocation per element of y.
override PART: bool = false;

struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  picks: u32,
  first: u32,
  x_stride: u32,
  index_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> index: array<i32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let inner = params.inner;
  if (i >= params.outer * params.picks * inner) { return; }
  let j = i / inner;
  let k = index[id.z * params.index_stride + j % params.picks] - i32(params.first);
  var v = bitcast<f32>(select(0x7fc00000u | params.n, 0u, PART));
  if (k >= 0 && k < i32(params.n)) {
    v = x[id.z * params.x_stride + (j / params.picks * params.n + u32(k)) * inner + i % inner];
  }
  y[id.z * params.y_stride + i] = v;
}
