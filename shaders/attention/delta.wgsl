// delta = sum over e of dout out for every query of every head: what the gradient of softmax subtracts, first launch of
// the gradient of attention/attention. dout and out are placed alike: element (b, h, t, e) at b batch + h head + t row
// + e; delta [batch, heads, queries]. One invocation per query.
struct Params {
  rows: u32, // batch * heads * queries
  queries: u32,
  head_dim: u32,
  heads: u32,
  batch: u32, head: u32, row: u32,
  dout_stride: u32,
  out_stride: u32,
  delta_stride: u32,
}

@group(0) @binding(0) var<storage, read> dout: array<f32>;
@group(0) @binding(1) var<storage, read> out: array<f32>;
@group(0) @binding(2) var<storage, read_write> delta: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.rows) { return; }
  let bh = i / params.queries;
  let start = (bh / params.heads) * params.batch + (bh % params.heads) * params.head + (i % params.queries)
    * params.row;
  let dout_row = id.z * params.dout_stride + start;
  let out_row = id.z * params.out_stride + start;
  var sum = 0.0;
  for (var e = 0u; e < params.head_dim; e++) { sum += dout[dout_row + e] * out[out_row + e]; }
  delta[id.z * params.delta_stride + i] = sum;
}
