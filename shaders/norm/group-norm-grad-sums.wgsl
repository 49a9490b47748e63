// Per group, sum of dy weight and of dy weight (x - mean), from the sums per (batch, channel) pair that norm/grad-sums
// left in parts: what the gradient of torch.nn.functional.group_norm by its input needs. partial [2, groups * span,
// parts], span channels per group and `groups` counting those of all batch rows; weight [channels]; sums [2, groups].
// One invocation per group.
override AFFINE: u32 = 1u;

struct Params {
  groups: u32,
  span: u32,
  parts: u32,
  channels: u32,
  partial_stride: u32,
  weight_stride: u32,
  sums_stride: u32,
}

@group(0) @binding(0) var<storage, read> partial: array<f32>;
@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read_write> sums: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let group = id.y * 2097152u + id.x;
  if (group >= params.groups) { return; }
  let second = params.groups * params.span * params.parts;
  var total = vec2f();
  for (var k = 0u; k < params.span; k++) {
    let pair = group * params.span + k;
    let start = id.z * params.partial_stride + pair * params.parts;
    var sum = vec2f();
    for (var i = 0u; i < params.parts; i++) { sum += vec2f(partial[start + i], partial[start + second + i]); }
    if (AFFINE == 1u) { sum *= weight[id.z * params.weight_stride + pair % params.channels]; }
    total += sum;
  }
  sums[id.z * params.sums_stride + group] = total.x;
  sums[id.z * params.sums_stride + params.groups + group] = total.y;
}
