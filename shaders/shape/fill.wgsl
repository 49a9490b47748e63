// y = value everywhere: torch.full, and the ground on which shape/copy places pieces. `value` holds the bits of an
// int32 or a float32. y [n]. One invocation per element.
struct Params {
  n: u32,
  value: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read_write> y: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  y[id.z * params.y_stride + i] = bitcast<i32>(params.value);
}
