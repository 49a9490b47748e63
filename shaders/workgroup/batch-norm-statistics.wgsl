// norm/batch-norm-statistics for GPUs with fast workgroup memory (torch.nn.functional.batch_norm in training): joins
// the parts of norm/moments into mean and invstd = 1 / sqrt(biased variance + eps) of the batch, and moves the running
// statistics on. partial [2, channels, parts]. Why: one invocation waits for every part. One workgroup per channel.
override CUMULATIVE: u32 = 0u;

struct Params {
  batch: u32,
  channels: u32,
  plane: u32,
  slices: u32,
  lanes: u32,
  width: u32, // elements side by side that a lane takes
  eps: f32,
  momentum: f32,
  partial_stride: u32,
  mean_stride: u32,
  invstd_stride: u32,
  running_mean_stride: u32,
  running_var_stride: u32,
  tracked_stride: u32,
}

@group(0) @binding(0) var<storage, read> partial: array<f32>;
@group(0) @binding(1) var<storage, read_write> mean: array<f32>;
@group(0) @binding(2) var<storage, read_write> invstd: array<f32>;
@group(0) @binding(3) var<storage, read_write> running_mean: array<f32>;
@group(0) @binding(4) var<storage, read_write> running_var: array<f32>;
@group(0) @binding(5) var<storage, read_write> tracked: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

fn elements_of(part: u32) -> f32 {
  let rows = (params.batch - part / params.lanes + params.slices - 1u) / params.slices;
  return f32(rows * params.width * ((params.plane - part % params.lanes + params.lanes - 1u) / params.lanes));
}

alias Sum = f32;
var<workgroup> sums: array<f32, 64>;

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
  let parts = params.slices * params.lanes;
  let start = group.z * params.partial_stride + channel * parts;
  let total = f32(params.batch * params.plane * params.width);
  let first = partial[start];
  var apart = 0.0;
  for (var i = lane; i < parts; i += 64u) { apart += elements_of(i) * (partial[start + i] - first); }
  let center = first + lane_sum(lane, 64u, 1u, apart) / total;
  var own = 0.0;
  for (var i = lane; i < parts; i += 64u) {
    let d = partial[start + i] - center;
    own += partial[start + params.channels * parts + i] + elements_of(i) * d * d;
  }
  let squares = lane_sum(lane, 64u, 1u, own);
  if (lane > 0u) { return; }
  mean[group.z * params.mean_stride + channel] = center;
  invstd[group.z * params.invstd_stride + channel] = 1.0 / sqrt(squares / total + params.eps);

  var momentum = params.momentum;
  if (CUMULATIVE == 1u) {
    momentum = 1.0 / f32(tracked[group.z * params.tracked_stride]);
  } else if (channel == 0u) {
    tracked[group.z * params.tracked_stride] += 1;
  }
  let m = group.z * params.running_mean_stride + channel;
  let v = group.z * params.running_var_stride + channel;
  running_mean[m] = (1.0 - momentum) * running_mean[m] + momentum * center;
  running_var[v] = (1.0 - momentum) * running_var[v] + momentum * (squares / (total - 1.0));
}
