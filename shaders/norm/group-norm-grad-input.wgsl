// dx = (dy weight - (sums[0] + (x - mean) rstd^2 sums[1]) / count) rstd: gradient of torch.nn.functional.group_norm by
// its input. dy, x, dx [batch, channels, plane]; weight [channels]; mean, rstd and the two sums of
// norm/group-norm-grad-sums one for every `span` (batch, channel) pairs, `inverse_count` 1 over the elements of a
// group. One invocation as in norm/batch-norm.
override AFFINE: u32 = 1u;

struct Params {
  batch: u32,
  channels: u32,
  plane: u32,
  slices: u32,
  lanes: u32,
  span: u32,
  inverse_count: f32,
  dy_stride: u32,
  x_stride: u32,
  mean_stride: u32,
  rstd_stride: u32,
  weight_stride: u32,
  sums_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> mean: array<f32>;
@group(0) @binding(3) var<storage, read> rstd: array<f32>;
@group(0) @binding(4) var<storage, read> weight: array<f32>;
@group(0) @binding(5) var<storage, read> sums: array<f32>;
@group(0) @binding(6) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let lane = i % params.lanes;
  let channel = (i / params.lanes) % params.channels;
  let slice = i / (params.lanes * params.channels);
  if (slice >= params.slices) { return; }
  var gain = 1.0;
  if (AFFINE == 1u) { gain = weight[id.z * params.weight_stride + channel]; }
  let groups = params.batch * params.channels / params.span;
  for (var n = slice; n < params.batch; n += params.slices) {
    let pair = n * params.channels + channel;
    let group = pair / params.span;
    let center = mean[id.z * params.mean_stride + group];
    let scale = rstd[id.z * params.rstd_stride + group];
    let mean_g = sums[id.z * params.sums_stride + group] * params.inverse_count;
    let slope = sums[id.z * params.sums_stride + groups + group] * params.inverse_count * scale * scale;
    let dy_row = id.z * params.dy_stride + pair * params.plane;
    let x_row = id.z * params.x_stride + pair * params.plane;
    let out = id.z * params.dx_stride + pair * params.plane;
    for (var p = lane; p < params.plane; p += params.lanes) {
      dx[out + p] = (dy[dy_row + p] * gain - mean_g - (x[x_row + p] - center) * slope) * scale;
    }
  }
}
