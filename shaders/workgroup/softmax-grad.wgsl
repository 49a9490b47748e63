// ops/softmax-grad and, with LOG = 1, ops/log-softmax-grad for GPUs with fast workgroup memory: from the output y of
// torch.softmax dx = (dy - sum(dy y)) y, from that of torch.log_softmax dx = dy - e^y sum(dy), over one dimension. All
// [outer, classes, inner], rows = outer * inner. Why: as workgroup/softmax; 32 lanes take a row, 8 rows per workgroup.
override LOG: u32 = 0u;

struct Params {
  rows: u32,
  classes: u32,
  inner: u32,
  dy_stride: u32,
  y_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> dx: array<f32>;
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

// By its bits: exp(NaN) may be finite.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let index = (group.y * 32768u + group.x) * 8u + lane / 32u;
  let row = min(index, params.rows - 1u); // beyond the edge repeated
  let first = (row / params.inner) * params.classes * params.inner + row % params.inner;
  let size = params.classes * params.inner;
  let dy_start = group.z * params.dy_stride + first;
  let y_start = group.z * params.y_stride + first;
  let own = lane % 32u * params.inner;
  var sum = 0.0;
  for (var c = own; c < size; c += 32u * params.inner) {
    if (LOG == 1u) { sum += dy[dy_start + c]; } else { sum += dy[dy_start + c] * y[y_start + c]; }
  }
  let total = lane_sum(lane, 32u, 1u, sum);
  if (index >= params.rows) { return; }
  let out = group.z * params.dx_stride + first;
  for (var c = own; c < size; c += 32u * params.inner) {
    let g = dy[dy_start + c];
    let v = y[y_start + c];
    if (LOG == 1u) { dx[out + c] = g - select(exp(v), v, is_nan(v)) * total; } else { dx[out + c] = (g - total) * v; }
  }
}
