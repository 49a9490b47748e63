// Second half of torch.batch_norm_backward_reduce: joins the parts of norm/grad-sums: sum_dy, sum_dy_xmu, and from them
// dbias = sum_dy, dweight = sum_dy_xmu invstd. partial [2, channels, parts], all others [channels]. One invocation per
// channel.
struct Params {
  channels: u32,
  parts: u32,
  partial_stride: u32,
  invstd_stride: u32,
  dweight_stride: u32,
  dbias_stride: u32,
  sum_dy_stride: u32,
  sum_dy_xmu_stride: u32,
}

@group(0) @binding(0) var<storage, read> partial: array<f32>;
@group(0) @binding(1) var<storage, read> invstd: array<f32>;
@group(0) @binding(2) var<storage, read_write> dweight: array<f32>;
@group(0) @binding(3) var<storage, read_write> dbias: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_dy: array<f32>;
@group(0) @binding(5) var<storage, read_write> sum_dy_xmu: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let channel = id.y * 2097152u + id.x;
  if (channel >= params.channels) { return; }
  let start = id.z * params.partial_stride + channel * params.parts;
  let second = start + params.channels * params.parts;
  var s0 = 0.0;
  var s1 = 0.0;
  for (var i = 0u; i < params.parts; i++) {
    s0 += partial[start + i];
    s1 += partial[second + i];
  }
  sum_dy[id.z * params.sum_dy_stride + channel] = s0;
  sum_dy_xmu[id.z * params.sum_dy_xmu_stride + channel] = s1;
  dweight[id.z * params.dweight_stride + channel] = s1 * invstd[id.z * params.invstd_stride + channel];
  dbias[id.z * params.dbias_stride + channel] = s0;
}
