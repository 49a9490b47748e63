// y[o, i] = max + log sum over k of e^(x[o, k, i] - max): torch.logsumexp. x [outer, n, inner], y [outer, inner]. One
// invocation per output, in two passes. An infinite maximum is not subtracted: a line of -inf gives -inf, one with inf
// gives inf.
struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

fn is_infinite(v: f32) -> bool {
  return (bitcast<u32>(v) & 0x7fffffffu) == 0x7f800000u;
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.outer * params.inner) { return; }
  let start = id.z * params.x_stride + (i / params.inner) * params.n * params.inner + i % params.inner;
  let end = start + params.n * params.inner;
  var largest = x[start];
  var special = 0.0; // inf or NaN if the line has one
  for (var j = start; j < end; j += params.inner) {
    let v = x[j];
    largest = max(largest, v);
    if (is_nan(v) || (is_infinite(v) && v > 0.0)) { special += v; }
  }
  if (is_nan(largest) || is_infinite(largest)) { largest = 0.0; }
  var sum = 0.0;
  for (var j = start; j < end; j += params.inner) { sum += exp(x[j] - largest); }
  y[id.z * params.y_stride + i] = largest + log(sum) + special;
}
