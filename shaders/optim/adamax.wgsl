// d <- g + weightDecay * p   (maximize: -g),  m <- beta1 * m + (1 - beta1) * d
// u <- max(beta2 * u, |d| + eps),  p <- p - stepSize * m / u
//
// torch.optim.Adamax (u is exp_inf), over all parameters of a group in one dispatch. LANES invocations take one block
// of the table (at most 16 * LANES elements of one parameter), each 4 vectors of four with stride LANES; 64 / LANES
// blocks per workgroup. Every tensor starts at a multiple of 256 bytes, so the last vector may reach into padding, and
// nothing else. Scalars (float32, written by the host each step): 1 weightDecay, 2 beta1, 3 1 - beta1, 4 beta2, 5
// stepSize = lr / (1 - beta1^t), 6 eps, 14 skip, 15 maximize.

struct Block {
  scalars: u32,
  gradient: u32,
  parameter: u32,
  expAvg: u32,
  expInf: u32,
  count: u32,
  extra: u32,
}

override LANES: u32 = 64u;

@group(0) @binding(0) var<storage, read> scalars: array<f32>;
@group(0) @binding(1) var<storage, read> gradient: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> parameter: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> expAvg: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> expInf: array<vec4<f32>>;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

// By its bits: a driver may turn a comparison into max(), which may swallow NaN.
fn is_nan(v: vec4f) -> vec4<bool> { return (bitcast<vec4u>(v) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u); }

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
  let beta1 = scalars[s + 2u];
  let oneMinus1 = scalars[s + 3u];
  let beta2 = scalars[s + 4u];
  let stepSize = scalars[s + 5u];
  let eps = scalars[s + 6u];
  let direction = select(1.0, -1.0, scalars[s + 15u] == 1.0);
  for (var i = lane % LANES; i < (block.count + 3u) / 4u; i += LANES) {
    let p = parameter[block.parameter / 4u + i];
    let d = direction * gradient[block.gradient / 4u + i] + weightDecay * p;
    let m = beta1 * expAvg[block.expAvg / 4u + i] + oneMinus1 * d;
    expAvg[block.expAvg / 4u + i] = m;
    // A NaN stays, as in torch.amax.
    let past = beta2 * expInf[block.expInf / 4u + i];
    let now = abs(d) + eps;
    let u = select(select(max(now, past), past, is_nan(past)), now, is_nan(now));
    expInf[block.expInf / 4u + i] = u;
    parameter[block.parameter / 4u + i] = p - stepSize * m / u;
  }
}
