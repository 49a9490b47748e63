// d <- g + weightDecay * p   (maximize: -g),  sum <- sum + d * d
// p <- p - stepSize * d / (sqrt(sum) + eps)
//
// torch.optim.Adagrad, over all parameters of a group in one dispatch. LANES invocations take one block of the table
// (at most 16 * LANES elements of one parameter), each 4 vectors of four with stride LANES; 64 / LANES blocks per
// workgroup. Every tensor starts at a multiple of 256 bytes, so the last vector may reach into padding, and nothing
// else. Scalars (float32, written by the host each step): 1 weightDecay, 2 stepSize = lr / (1 + (t - 1) * lrDecay), 3
// eps, 14 skip, 15 maximize.

struct Block {
  scalars: u32,
  gradient: u32,
  parameter: u32,
  sum: u32,
  count: u32,
  extra: u32,
}

override LANES: u32 = 64u;

@group(0) @binding(0) var<storage, read> scalars: array<f32>;
@group(0) @binding(1) var<storage, read> gradient: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> parameter: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> sum: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let index = (group.y * groups.x + group.x) * (64u / LANES) + lane / LANES;
  if (index >= arrayLength(&blocks)) {
    return;
  }
  let block = blocks[index];
  let s = block.scalars;
  if (scalars[s + 14u] != 0.0) { return; } // GradScaler skips the step
  let weightDecay = scalars[s + 1u];
  let stepSize = scalars[s + 2u];
  let eps = scalars[s + 3u];
  let direction = select(1.0, -1.0, scalars[s + 15u] == 1.0);
  for (var i = lane % LANES; i < (block.count + 3u) / 4u; i += LANES) {
    let p = parameter[block.parameter / 4u + i];
    let d = direction * gradient[block.gradient / 4u + i] + weightDecay * p;
    let total = sum[block.sum / 4u + i] + d * d;
    sum[block.sum / 4u + i] = total;
    parameter[block.parameter / 4u + i] = p - stepSize * d / (sqrt(total) + eps);
  }
}
