// dx = (dy - sum_dy / count - (x - mean) invstd^2 sum_dy_xmu / count) invstd weight per channel:
// torch.batch_norm_backward_elemt, the gradient of batch norm by its input with the statistics of the batch as
// functions of it. dy, x, dx [batch, channels, plane], all others [channels]; `inverse_count` is 1 over the values a
// channel has, those of other ranks included where the statistics were shared. One invocation as in norm/batch-norm. As
// norm/batch-norm-grad-input, four neighbours at a time, for planes that are multiples of 4: twice as fast on a
// software adapter. `plane` counts vectors.
override AFFINE: u32 = 1u;

struct Params {
  batch: u32,
  channels: u32,
  plane: u32,
  slices: u32,
  lanes: u32,
  inverse_count: f32,
  dy_stride: u32,
  x_stride: u32,
  mean_stride: u32,
  invstd_stride: u32,
  sum_dy_stride: u32,
  sum_dy_xmu_stride: u32,
  weight_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<vec4f>;
@group(0) @binding(1) var<storage, read> x: array<vec4f>;
@group(0) @binding(2) var<storage, read> mean: array<f32>;
@group(0) @binding(3) var<storage, read> invstd: array<f32>;
@group(0) @binding(4) var<storage, read> sum_dy: array<f32>;
@group(0) @binding(5) var<storage, read> sum_dy_xmu: array<f32>;
@group(0) @binding(6) var<storage, read> weight: array<f32>;
@group(0) @binding(7) var<storage, read_write> dx: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let lane = i % params.lanes;
  let channel = (i / params.lanes) % params.channels;
  let slice = i / (params.lanes * params.channels);
  if (slice >= params.slices) { return; }
  let center = mean[id.z * params.mean_stride + channel];
  let inv = invstd[id.z * params.invstd_stride + channel];
  var scale = inv;
  if (AFFINE == 1u) { scale *= weight[id.z * params.weight_stride + channel]; }
  let mean_dy = sum_dy[id.z * params.sum_dy_stride + channel] * params.inverse_count;
  let slope = sum_dy_xmu[id.z * params.sum_dy_xmu_stride + channel] * params.inverse_count * inv * inv;
  for (var n = slice; n < params.batch; n += params.slices) {
    let row = (n * params.channels + channel) * params.plane;
    let dy_row = id.z * params.dy_stride / 4u + row;
    let x_row = id.z * params.x_stride / 4u + row;
    let out = id.z * params.dx_stride / 4u + row;
    for (var p = lane; p < params.plane; p += params.lanes) {
      dx[out + p] = (dy[dy_row + p] - mean_dy - (x[x_row + p] - center) * slope) * scale;
    }
  }
}
