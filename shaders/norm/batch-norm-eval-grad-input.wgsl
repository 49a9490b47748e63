// dx = dy invstd weight per channel: gradient of batch norm in evaluation, whose statistics do not depend on x. dy, dx
// [batch, channels, plane]; invstd, weight [channels]. One invocation as in norm/batch-norm.
override AFFINE: u32 = 1u;

struct Params {
  batch: u32,
  channels: u32,
  plane: u32,
  slices: u32,
  lanes: u32,
  dy_stride: u32,
  invstd_stride: u32,
  weight_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> invstd: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let lane = i % params.lanes;
  let channel = (i / params.lanes) % params.channels;
  let slice = i / (params.lanes * params.channels);
  if (slice >= params.slices) { return; }
  var scale = invstd[id.z * params.invstd_stride + channel];
  if (AFFINE == 1u) { scale *= weight[id.z * params.weight_stride + channel]; }
  for (var n = slice; n < params.batch; n += params.slices) {
    let row = (n * params.channels + channel) * params.plane;
    let dy_row = id.z * params.dy_stride + row;
    let out = id.z * params.dx_stride + row;
    for (var p = lane; p < params.plane; p += params.lanes) { dx[out + p] = dy[dy_row + p] * scale; }
  }
}
