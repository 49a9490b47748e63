// d <- g + weightDecay * p   (maximize: -g; DECOUPLED: p <- p * decay, d <- g)
// m <- beta1 * m + (1 - beta1) * d,  v <- beta2 * v + (1 - beta2) * d * d
// q <- sqrt(v / correction2) + eps,  p <- p - gradientFactor * d / q,  p <- p - momentFactor * m / q
//
// torch.optim.NAdam, over all parameters of a group in one dispatch. LANES invocations take one block of the table (at
// most 16 * LANES elements of one parameter), each 4 vectors of four with stride LANES; 64 / LANES blocks per
// workgroup. Every tensor starts at a multiple of 256 bytes, so the last vector may reach into padding, and nothing
// else. Scalars (float32, written by the host each step): 1 weightDecay, 2 beta1, 3 1 - beta1, 4 beta2, 5 1 - beta2, 6
// gradientFactor = lr * (1 - mu) / (1 - product of mu), 7 momentFactor = lr * next mu / (1 - next product), 8 eps, 9
// correction2 = 1 - beta2^t, 10 decay = 1 - lr * weightDecay, 14 skip, 15 maximize.

struct Block {
  scalars: u32,
  gradient: u32,
  parameter: u32,
  expAvg: u32,
  expAvgSq: u32,
  count: u32,
  extra: u32,
}

override DECOUPLED: bool = false;
override LANES: u32 = 64u;

@group(0) @binding(0) var<storage, read> scalars: array<f32>;
@group(0) @binding(1) var<storage, read> gradient: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> parameter: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> expAvg: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> expAvgSq: array<vec4<f32>>;
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
  let coupled = select(scalars[s + 1u], 0.0, DECOUPLED);
  let shrink = select(1.0, scalars[s + 10u], DECOUPLED);
  let direction = select(1.0, -1.0, scalars[s + 15u] == 1.0);
  let beta1 = scalars[s + 2u];
  let oneMinus1 = scalars[s + 3u];
  let beta2 = scalars[s + 4u];
  let oneMinus2 = scalars[s + 5u];
  let gradientFactor = scalars[s + 6u];
  let momentFactor = scalars[s + 7u];
  let eps = scalars[s + 8u];
  let correction2 = scalars[s + 9u];
  for (var i = lane % LANES; i < (block.count + 3u) / 4u; i += LANES) {
    let p = parameter[block.parameter / 4u + i] * shrink;
    let d = direction * gradient[block.gradient / 4u + i] + coupled * p;
    let m = beta1 * expAvg[block.expAvg / 4u + i] + oneMinus1 * d;
    let v = beta2 * expAvgSq[block.expAvgSq / 4u + i] + oneMinus2 * d * d;
    expAvg[block.expAvg / 4u + i] = m;
    expAvgSq[block.expAvgSq / 4u + i] = v;
    let q = sqrt(v / correction2) + eps;
    let half = p - gradientFactor * d / q;
    parameter[block.parameter / 4u + i] = half - momentFactor * m / q;
  }
}
