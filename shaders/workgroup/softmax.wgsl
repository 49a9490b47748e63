// ops/softmax and, with LOG = 1, ops/log-softmax for GPUs with fast workgroup memory (torch.softmax and log_softmax):
// y = e^(x - max) / sum e^(x - max), or x - max - log sum e^(x - max), over one dimension. x, y [outer, classes,
// inner], rows = outer * inner. Why: one invocation that reads a whole row waits for every number. 32 lanes take a row,
// 8 rows per workgroup.
override LOG: u32 = 0u;

struct Params {
  rows: u32,
  classes: u32,
  inner: u32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

alias Sum = f32;
var<workgroup> sums: array<f32, 256>;

// The sum over each `lanes` neighbours, or over every `step`-th of them, in one order (helpers/lane-sum).
fn lane_sum(lane: u32, lanes: u32, step: u32, own: Sum) -> Sum {
  workgroupBarrier();
  sums[lane] = own;
  for (var half = lanes / 2u; half >= step; half /= 2u) {
    workgroupBarrier();
    if (lane % lanes < half) { sums[lane] += sums[lane + half]; }
  }
  workgroupBarrier();
  return sums[lane - lane % lanes + lane % step];
}

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let index = (group.y * 32768u + group.x) * 8u + lane / 32u;
  let row = min(index, params.rows - 1u); // beyond the edge repeated
  let first = (row / params.inner) * params.classes * params.inner + row % params.inner;
  let size = params.classes * params.inner;
  let start = group.z * params.x_stride + first;
  let own = lane % 32u * params.inner;
  var top = -3.4028234e38;
  var sum = 0.0; // NaN if the row has one
  for (var c = own; c < size; c += 32u * params.inner) {
    let v = x[start + c];
    top = max(top, v);
    if (is_nan(v)) { sum = v; }
  }
  sums[lane] = top;
  workgroupBarrier();
  for (var other = 0u; other < 32u; other++) { top = max(top, sums[lane - lane % 32u + other]); }
  for (var c = own; c < size; c += 32u * params.inner) { sum += exp(x[start + c] - top); }
  let total = lane_sum(lane, 32u, 1u, sum);
  if (index >= params.rows) { return; }
  let out = group.z * params.y_stride + first;
  for (var c = own; c < size; c += 32u * params.inner) {
    let d = x[start + c] - top;
    if (LOG == 1u) { y[out + c] = d - log(total); } else { y[out + c] = exp(d) / total; }
  }
}
