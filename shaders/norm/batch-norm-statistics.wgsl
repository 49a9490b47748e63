// Second half of norm/batch-norm-stats: joins the parts of norm/moments into mean and invstd = 1 / sqrt(biased variance
// + eps) of the batch, and moves the running statistics: running = (1 - momentum) running + momentum new, the variance
// unbiased, num_batches_tracked + 1. With CUMULATIVE the momentum is 1 / num_batches_tracked, which an own launch has
// counted up. partial [2, channels, parts]. One invocation per channel.
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

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let channel = id.y * 2097152u + id.x;
  if (channel >= params.channels) { return; }
  let parts = params.slices * params.lanes;
  let start = id.z * params.partial_stride + channel * parts;
  let total = f32(params.batch * params.plane * params.width);
  let first = partial[start];
  var apart = 0.0;
  for (var i = 0u; i < parts; i++) { apart += elements_of(i) * (partial[start + i] - first); }
  let center = first + apart / total;
  var squares = 0.0;
  for (var i = 0u; i < parts; i++) {
    let d = partial[start + i] - center;
    squares += partial[start + params.channels * parts + i] + elements_of(i) * d * d;
  }
  mean[id.z * params.mean_stride + channel] = center;
  invstd[id.z * params.invstd_stride + channel] = 1.0 / sqrt(squares / total + params.eps);

  var momentum = params.momentum;
  if (CUMULATIVE == 1u) {
    momentum = 1.0 / f32(tracked[id.z * params.tracked_stride]);
  } else if (channel == 0u) {
    tracked[id.z * params.tracked_stride] += 1;
  }
  let m = id.z * params.running_mean_stride + channel;
  let v = id.z * params.running_var_stride + channel;
  running_mean[m] = (1.0 - momentum) * running_mean[m] + momentum * center;
  running_var[v] = (1.0 - momentum) * running_var[v] + momentum * (squares / (total - 1.0));
}
