// loss/mean for GPUs with fast workgroup memory: loss[0] = sum of the n terms in parts[0..n) / sum of the n weights in
// parts[n..2n), the end of torch.nn.CrossEntropyLoss with reduction 'mean'. The divisor also goes to the last element
// of stats, for the backward pass. Why: one invocation waits for every term. One workgroup: 256 lanes, then a tree.
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

alias Sum = vec2f;
var<workgroup> sums: array<vec2f, 256>;

// The sum over each `lanes` neighbours, or over every `step`-th of them, in one order (helpers/lane-sum).
fn lane_sum(lane: u32, lanes: u32, step: u32, own: Sum) -> Sum {
  workgroupBarrier();
  sums[lane] = own;
  for (var half = lanes / 2u; half >= step; half /= 2u) {
    workgroupBarrier();
    if (lane % lanes < half) { sums[lane] += sums[lane + half]; }
  }
  workgroupBarrier();
  return sums[lane - lane % lanes + lane % step];
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let start = group.z * params.parts_stride;
  var both = vec2f();
  for (var k = lane; k < params.n; k += 256u) { both += vec2f(parts[start + k], parts[start + params.n + k]); }
  let total = lane_sum(lane, 256u, 1u, both);
  if (lane > 0u) { return; }
  stats[group.z * params.stats_stride + params.last] = total.y;
  loss[group.z * params.loss_stride] = total.x / total.y;
}
