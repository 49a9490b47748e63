// SyncBatchNorm, after the all-gather: mean and invstd over the batches of all ranks from gathered [ranks, 2C + 1]
// (mean, invstd, count of each; a rank without samples has count 0 and is left out), and the running statistics moved
// on, the variance unbiased. torch.batch_norm_gather_stats_with_counts. With CUMULATIVE the momentum is 1 /
// num_batches_tracked, which an own launch has counted up. One invocation per channel.
override CUMULATIVE: u32 = 0u;

struct Params {
  channels: u32,
  ranks: u32,
  eps: f32,
  momentum: f32,
  gathered_stride: u32,
  mean_stride: u32,
  invstd_stride: u32,
  running_mean_stride: u32,
  running_var_stride: u32,
  tracked_stride: u32,
}

@group(0) @binding(0) var<storage, read> gathered: array<f32>;
@group(0) @binding(1) var<storage, read_write> mean: array<f32>;
@group(0) @binding(2) var<storage, read_write> invstd: array<f32>;
@group(0) @binding(3) var<storage, read_write> running_mean: array<f32>;
@group(0) @binding(4) var<storage, read_write> running_var: array<f32>;
@group(0) @binding(5) var<storage, read_write> tracked: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let channel = id.y * 2097152u + id.x;
  if (channel >= params.channels) { return; }
  let width = 2u * params.channels + 1u;
  var average = 0.0;
  var squares = 0.0;
  var n = 0.0;
  for (var rank = 0u; rank < params.ranks; rank++) {
    let start = id.z * params.gathered_stride + rank * width;
    let count = gathered[start + 2u * params.channels];
    if (count < 1.0) { continue; }
    let own = gathered[start + channel];
    let deviation = 1.0 / gathered[start + params.channels + channel];
    let apart = average - own;
    squares += (deviation * deviation - params.eps) * count + apart * apart * n * count / (n + count);
    average += (own - average) * (count / (n + count));
    n += count;
  }
  mean[id.z * params.mean_stride + channel] = average;
  invstd[id.z * params.invstd_stride + channel] = 1.0 / sqrt(squares / n + params.eps);

  var momentum = params.momentum;
  if (CUMULATIVE == 1u) {
    momentum = 1.0 / f32(tracked[id.z * params.tracked_stride]);
  } else if (channel == 0u) {
    tracked[id.z * params.tracked_stride] += 1;
  }
  let m = id.z * params.running_mean_stride + channel;
  let v = id.z * params.running_var_stride + channel;
  running_mean[m] = (1.0 - momentum) * running_mean[m] + momentum * average;
  running_var[v] = (1.0 - momentum) * running_var[v] + momentum * (squares / (n - 1.0));
}
