// y[o, j, i] = x[o, index[o, j, i], i]: torch.gather. x [outer, n, inner], index and y [outer, picks, inner], `count`
// elements. NaN where an index is out of range. One invocation per element of y.
struct Params {
  count: u32,
  n: u32,
  inner: u32,
  picks: u32,
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
  if (i >= params.count) { return; }
  let k = index[id.z * params.index_stride + i];
  let line = i / (params.picks * params.inner) * params.n;
  var v = bitcast<f32>(0x7fc00000u | params.n);
  if (k >= 0 && k < i32(params.n)) {
    v = x[id.z * params.x_stride + (line + u32(k)) * params.inner + i % params.inner];
  }
  y[id.z * params.y_stride + i] = v;
}
