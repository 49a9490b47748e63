// The picking of shape/index-select, four neighbours of a slice per invocation: y[o, j, i] = x[o, index[j], i], inner a
// multiple of 4. Exists because rows of an embedding are long, and the divisions and the load of the index then serve
// four elements. `first` and PART as there.
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

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> index: array<i32>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let inner = params.inner / 4u;
  if (i >= params.outer * params.picks * inner) { return; }
  let j = i / inner;
  let k = index[id.z * params.index_stride + j % params.picks] - i32(params.first);
  var v = vec4f(bitcast<f32>(select(0x7fc00000u | params.n, 0u, PART)));
  if (k >= 0 && k < i32(params.n)) {
    v = x[id.z * params.x_stride / 4u + (j / params.picks * params.n + u32(k)) * inner + i % inner];
  }
  y[id.z * params.y_stride / 4u + i] = v;
}
