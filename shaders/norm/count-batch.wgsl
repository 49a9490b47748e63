// num_batches_tracked += 1: first launch of norm/batch-norm-stats where the momentum is 1 / num_batches_tracked
// (torch.nn.BatchNorm2d(momentum=None)), so that every channel reads the new count. One invocation.
struct Params {
  tracked_stride: u32,
}

@group(0) @binding(0) var<storage, read_write> tracked: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x == 0u) { tracked[id.z * params.tracked_stride] += 1; }
}
