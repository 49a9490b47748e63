// y = (x - mean) invstd weight + bias per channel: torch.nn.functional.batch_norm from the statistics of the batch (or
// the running ones), torch.nn.functional.group_norm from those of each group. x, y [batch, channels, plane]; weight,
// bias [channels]; mean, invstd one for every `span` (batch, channel) pairs of a group, or, with span 0, one per
// channel. One invocation takes every `slices`-th batch row of a channel and there every `lanes`-th element. As
// norm/batch-norm, four neighbours at a time, for planes that are multiples of 4: twice as fast on a software adapter.
// `plane` counts vectors.
override AFFINE: u32 = 1u;
override RELU: u32 = 0u; // 1: torch.relu of that

struct Params {
  batch: u32,
  channels: u32,
  plane: u32,
  slices: u32,
  lanes: u32,
  span: u32,
  x_stride: u32,
  mean_stride: u32,
  invstd_stride: u32,
  weight_stride: u32,
  bias_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> mean: array<f32>;
@group(0) @binding(2) var<storage, read> invstd: array<f32>;
@group(0) @binding(3) var<storage, read> weight: array<f32>;
@group(0) @binding(4) var<storage, read> bias: array<f32>;
@group(0) @binding(5) var<storage, read_write> y: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

// As pointwise/unary has relu; NaN passes, which its bits tell.
fn relu(v: vec4f) -> vec4f {
  return select(v, vec4f(), (v <= vec4f()) & !((bitcast<vec4u>(v) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u)));
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let lane = i % params.lanes;
  let channel = (i / params.lanes) % params.channels;
  let slice = i / (params.lanes * params.channels);
  if (slice >= params.slices) { return; }
  var gain = 1.0;
  var shift = 0.0;
  if (AFFINE == 1u) {
    gain = weight[id.z * params.weight_stride + channel];
    shift = bias[id.z * params.bias_stride + channel];
  }
  for (var n = slice; n < params.batch; n += params.slices) {
    let pair = n * params.channels + channel;
    var s = channel;
    if (params.span > 0u) { s = pair / params.span; }
    let center = mean[id.z * params.mean_stride + s];
    let scale = invstd[id.z * params.invstd_stride + s] * gain;
    let x_row = id.z * params.x_stride / 4u + pair * params.plane;
    let out = id.z * params.y_stride / 4u + pair * params.plane;
    for (var p = lane; p < params.plane; p += params.lanes) {
      let v = (x[x_row + p] - center) * scale + shift;
      if (RELU == 1u) { y[out + p] = relu(v); } else { y[out + p] = v; }
    }
  }
}
