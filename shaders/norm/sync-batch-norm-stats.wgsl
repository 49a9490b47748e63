// SyncBatchNorm, before the all-gather: joins the parts of norm/moments into own = [mean (C), invstd (C), count (1)] of
// this rank's batch, as torch.batch_norm_stats and the cat in torch/nn/modules/_functions.py. partial [2, channels,
// parts]. One invocation per channel.
struct Params {
  batch: u32,
  channels: u32,
  plane: u32,
  slices: u32,
  lanes: u32,
  width: u32, // elements side by side that a lane takes
  eps: f32,
  partial_stride: u32,
  own_stride: u32,
}

@group(0) @binding(0) var<storage, read> partial: array<f32>;
@group(0) @binding(1) var<storage, read_write> own: array<f32>;
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
  let out = id.z * params.own_stride;
  own[out + channel] = center;
  own[out + params.channels + channel] = 1.0 / sqrt(squares / total + params.eps);
  if (channel == 0u) { own[out + 2u * params.channels] = total; }
}
