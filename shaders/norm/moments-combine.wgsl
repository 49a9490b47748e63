// Second half of a mean and variance per channel: the parts of norm/moments, joined after Chan et al.: mean = sum n_i
// mean_i / n, squares = sum squares_i + n_i (mean_i - mean)^2; invstd = 1 / sqrt(squares / n + eps), n counting all.
// partial [2, channels, parts]; mean, invstd [channels]. One invocation per channel.
struct Params {
  batch: u32,
  channels: u32,
  plane: u32,
  slices: u32,
  lanes: u32,
  width: u32, // elements side by side that a lane takes
  eps: f32,
  partial_stride: u32,
  mean_stride: u32,
  invstd_stride: u32,
}

@group(0) @binding(0) var<storage, read> partial: array<f32>;
@group(0) @binding(1) var<storage, read_write> mean: array<f32>;
@group(0) @binding(2) var<storage, read_write> invstd: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

/// Elements of a part: rows slice, slice + slices ... of the batch, elements lane, lane + lanes ... of the plane.
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
  let first = partial[start]; // means are joined as distances from the first, which loses no digits to an offset
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
}
