// d <- g + weightDecay * p   (maximize: -g),  v <- alpha * v + (1 - alpha) * d * d,  a <- alpha * a + (1 - alpha) * d
// b <- momentum * b + d / (sqrt(v - a * a) + eps),  p <- p - lr * b
//
// torch.optim.RMSprop, centered, with momentum (a is grad_avg), over all parameters of a group in one dispatch. LANES
// invocations take one block of the table (at most 16 * LANES elements of one parameter), each 4 vectors of four with
// stride LANES; 64 / LANES blocks per workgroup. Every tensor starts at a multiple of 256 bytes, so the last vector may
// reach into padding, and nothing else. Scalars (float32, written by the host each step): 0 lr, 1 weightDecay, 2 alpha,
// 3 1 - alpha, 4 momentum, 5 eps, 14 skip, 15 maximize.

struct Block {
  scalars: u32,
  gradient: u32,
  parameter: u32,
  squareAvg: u32,
  gradAvg: u32,
  momentumBuffer: u32,
  count: u32,
  extra: u32,
}

override LANES: u32 = 64u;

@group(0) @binding(0) var<storage, read> scalars: array<f32>;
@group(0) @binding(1) var<storage, read> gradient: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> parameter: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> squareAvg: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> gradAvg: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> momentumBuffer: array<vec4<f32>>;
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
  let lr = scalars[s];
  let weightDecay = scalars[s + 1u];
  let alpha = scalars[s + 2u];
  let oneMinusAlpha = scalars[s + 3u];
  let momentum = scalars[s + 4u];
  let eps = scalars[s + 5u];
  let direction = select(1.0, -1.0, scalars[s + 15u] == 1.0);
  for (var i = lane % LANES; i < (block.count + 3u) / 4u; i += LANES) {
    let p = parameter[block.parameter / 4u + i];
    let d = direction * gradient[block.gradient / 4u + i] + weightDecay * p;
    let v = alpha * squareAvg[block.squareAvg / 4u + i] + oneMinusAlpha * d * d;
    squareAvg[block.squareAvg / 4u + i] = v;
    let a = alpha * gradAvg[block.gradAvg / 4u + i] + oneMinusAlpha * d;
    gradAvg[block.gradAvg / 4u + i] = a;
    let b = momentum * momentumBuffer[block.momentumBuffer / 4u + i] + d / (sqrt(v - a * a) + eps);
    momentumBuffer[block.momentumBuffer / 4u + i] = b;
    parameter[block.parameter / 4u + i] = p - lr * b;
  }
}
