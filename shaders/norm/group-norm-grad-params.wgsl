// dweight = sum over batch rows of rstd sum dy (x - mean), dbias = sum dy per channel: gradients of the parameters of
// torch.nn.functional.group_norm, from the parts of norm/grad-sums. partial [2, batch * channels, parts]; rstd one for
// every `span` (batch, channel) pairs; dweight, dbias [channels]. One invocation per channel.
struct Params {
  batch: u32,
  channels: u32,
  span: u32,
  parts: u32,
  partial_stride: u32,
  rstd_stride: u32,
  dweight_stride: u32,
  dbias_stride: u32,
}

@group(0) @binding(0) var<storage, read> partial: array<f32>;
@group(0) @binding(1) var<storage, read> rstd: array<f32>;
@group(0) @binding(2) var<storage, read_write> dweight: array<f32>;
@group(0) @binding(3) var<storage, read_write> dbias: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let channel = id.y * 2097152u + id.x;
  if (channel >= params.channels) { return; }
  let second = params.batch * params.channels * params.parts;
  var total = vec2f();
  for (var n = 0u; n < params.batch; n++) {
    let pair = n * params.channels + channel;
    let start = id.z * params.partial_stride + pair * params.parts;
    var sum = vec2f();
    for (var i = 0u; i < params.parts; i++) { sum += vec2f(partial[start + i], partial[start + second + i]); }
    total += vec2f(sum.x, sum.y * rstd[id.z * params.rstd_stride + pair / params.span]);
  }
  dweight[id.z * params.dweight_stride + channel] = total.y;
  dbias[id.z * params.dbias_stride + channel] = total.x;
}
