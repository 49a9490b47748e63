// g <- g / scale, found_inf <- 1 if an element of a gradient is inf or NaN
//
// GradScaler.unscale_, over all gradients of a device in one dispatch: the multiplication by the reciprocal of the
// scale that _amp_foreach_non_finite_check_and_unscale_ does. LANES invocations take one block of the table (at most 16
// * LANES elements of one gradient); 64 / LANES blocks per workgroup. Whoever finds one writes the same 1.

struct Block {
  scale: u32,
  found_inf: u32,
  gradient: u32,
  count: u32,
  extra: u32,
}

override LANES: u32 = 64u;

@group(0) @binding(0) var<storage, read> scale: array<f32>;
@group(0) @binding(1) var<storage, read_write> found_inf: array<f32>;
@group(0) @binding(2) var<storage, read_write> gradient: array<f32>;
@group(1) @binding(1) var<storage, read> blocks: array<Block>;

// Exact where the scale is a power of two, as it mostly is: a GPU's division is not.
fn reciprocal(value: f32) -> f32 {
  let bits = bitcast<u32>(value);
  if ((bits & 0x7fffffu) == 0u && bits < 0x7e800000u) { return bitcast<f32>(0x7f000000u - bits); }
  return 1.0 / value;
}

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
  let inverse = reciprocal(scale[block.scale]);
  for (var i = lane % LANES; i < block.count; i += LANES) {
    let g = gradient[block.gradient + i];
    if ((bitcast<u32>(g) & 0x7f800000u) == 0x7f800000u) { found_inf[block.found_inf] = 1.0; }
    gradient[block.gradient + i] = g * inverse;
  }
}
