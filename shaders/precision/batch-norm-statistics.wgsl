// norm/batch-norm-statistics for a model in bfloat16, as torch's CPU kernel computes it: the sum of squared deviations
// is rounded to bfloat16, and so is the result of each operation on the running statistics, which are bfloat16, too.
// mean and the quotients are rounded before they are used. Same as joinStatistics in graph/ops/norm. partial
// [2, channels, parts]. One invocation per channel.
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

fn nearest(value: f32) -> f32 { // of bfloat16, ties to even; a NaN stays one
  let bits = bitcast<u32>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) { return bitcast<f32>((bits & 0x80000000u) | 0x7fc00000u); }
  return bitcast<f32>((bits + 0x7fffu + ((bits >> 16u) & 1u)) & 0xffff0000u);
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
  let middle = nearest(center);
  // Samples without a plane deviate from the rounded mean.
  if (params.plane * params.width == 1u) { squares += total * (center - middle) * (center - middle); }
  let all = nearest(squares);
  mean[id.z * params.mean_stride + channel] = middle;
  invstd[id.z * params.invstd_stride + channel] = 1.0 / sqrt(nearest(all / nearest(total)) + params.eps);

  var momentum = params.momentum;
  if (CUMULATIVE == 1u) {
    momentum = 1.0 / f32(tracked[id.z * params.tracked_stride]);
  } else if (channel == 0u) {
    tracked[id.z * params.tracked_stride] += 1;
  }
  let m = id.z * params.running_mean_stride + channel;
  let v = id.z * params.running_var_stride + channel;
  let gain = nearest(momentum);
  let keep = nearest(1.0 - gain);
  running_mean[m] = nearest(keep * running_mean[m]) + nearest(gain * middle);
  running_var[v] = nearest(keep * running_var[v]) + gain * nearest(all / nearest(total - 1.0));
}
