// invstd = 1 / sqrt(running_var + eps): first launch of batch norm in evaluation. Both [channels]. One invocation per
// channel.
struct Params {
  channels: u32,
  eps: f32,
  running_var_stride: u32,
  invstd_stride: u32,
}

@group(0) @binding(0) var<storage, read> running_var: array<f32>;
@group(0) @binding(1) var<storage, read_write> invstd: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let channel = id.y * 2097152u + id.x;
  if (channel >= params.channels) { return; }
  invstd[id.z * params.invstd_stride + channel] =
    1.0 / sqrt(running_var[id.z * params.running_var_stride + channel] + params.eps);
}
