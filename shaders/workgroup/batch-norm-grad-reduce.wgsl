// norm/batch-norm-grad-reduce for GPUs with fast workgroup memory (second half of torch.batch_norm_backward_reduce):
// joins the parts of norm/grad-sums: sum_dy, sum_dy_xmu, and from them dbias = sum_dy, dweight = sum_dy_xmu invstd.
// partial [2, channels, parts], all others [channels]. Why: one invocation waits for every part. One workgroup per
// channel.
struct Params {
  channels: u32,
  parts: u32,
  partial_stride: u32,
  invstd_stride: u32,
  dweight_stride: u32,
  dbias_stride: u32,
  sum_dy_stride: u32,
  sum_dy_xmu_stride: u32,
}

@group(0) @binding(0) var<storage, read> partial: array<f32>;
@group(0) @binding(1) var<storage, read> invstd: array<f32>;
@group(0) @binding(2) var<storage, read_write> dweight: array<f32>;
@group(0) @binding(3) var<storage, read_write> dbias: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_dy: array<f32>;
@group(0) @binding(5) var<storage, read_write> sum_dy_xmu: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

alias Sum = vec2f;
var<workgroup> sums: array<vec2f, 64>;

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

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let channel = group.y * 32768u + group.x;
  if (channel >= params.channels) { return; }
  let start = group.z * params.partial_stride + channel * params.parts;
  let second = start + params.channels * params.parts;
  var both = vec2f();
  for (var i = lane; i < params.parts; i += 64u) { both += vec2f(partial[start + i], partial[second + i]); }
  let total = lane_sum(lane, 64u, 1u, both);
  if (lane > 0u) { return; }
  sum_dy[group.z * params.sum_dy_stride + channel] = total.x;
  sum_dy_xmu[group.z * params.sum_dy_xmu_stride + channel] = total.y;
  dweight[group.z * params.dweight_stride + channel] = total.y * invstd[group.z * params.invstd_stride + channel];
  dbias[group.z * params.dbias_stride + channel] = total.x;
}
