// loss[0] = sum of the n terms in parts[0..n) / sum of the n weights in parts[n..2n): the end of
// torch.nn.CrossEntropyLoss with reduction 'mean'. The divisor also goes to the last element of stats, for the backward
// pass. One invocation; larger batches have been summed to n parts before.
struct Params {
  n: u32,
  last: u32,
  parts_stride: u32,
  stats_stride: u32,
  loss_stride: u32,
}

@group(0) @binding(0) var<storage, read> parts: array<f32>;
@group(0) @binding(1) var<storage, read_write> stats: array<f32>;
@group(0) @binding(2) var<storage, read_write> loss: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x > 0u) { return; }
  let start = id.z * params.parts_stride;
  var total = 0.0;
  var weight = 0.0;
  for (var k = 0u; k < params.n; k++) {
    total += parts[start + k];
    weight += parts[start + params.n + k];
  }
  stats[id.z * params.stats_stride + params.last] = weight;
  loss[id.z * params.loss_stride] = total / weight;
}
