// y = value everywhere, four neighbours per invocation: torch.full, as shape/fill, for tensors of whole vectors. Exists
// because the gradient of a large embedding (shape/add-picks) begins with zeros. `value` holds the bits of an int32 or
// a float32; n counts vectors. y [4n].
struct Params {
  n: u32,
  value: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read_write> y: array<vec4i>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  y[id.z * params.y_stride / 4u + i] = vec4i(bitcast<i32>(params.value));
}
