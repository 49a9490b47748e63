// y = a where mask holds, else b: torch.where, all three broadcast; TAKE_A_WHEN says which truth of the mask takes a.
// With FILL = 1 the other value is the number `value`: torch.masked_fill. One element per invocation; y runs over DIMS
// dimensions, a step is 0 where an operand repeats.
override TAKE_A_WHEN: u32 = 1u;
override FILL: u32 = 0u;
override DIMS: u32 = 6u;

struct Params {
  n: u32, value: f32,
  size0: u32, size1: u32, size2: u32, size3: u32, size4: u32, size5: u32,
  mask0: u32, mask1: u32, mask2: u32, mask3: u32, mask4: u32, mask5: u32,
  a0: u32, a1: u32, a2: u32, a3: u32, a4: u32, a5: u32,
  b0: u32, b1: u32, b2: u32, b3: u32, b4: u32, b5: u32,
  mask_stride: u32,
  a_stride: u32,
  b_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> mask: array<i32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// Offsets of mask, a and b at element i of y.
fn place(i: u32) -> vec3u {
  var dims = array<vec4u, 6>( // size, steps of mask, a and b
    vec4u(params.size0, params.mask0, params.a0, params.b0), vec4u(params.size1, params.mask1, params.a1, params.b1),
    vec4u(params.size2, params.mask2, params.a2, params.b2), vec4u(params.size3, params.mask3, params.a3, params.b3),
    vec4u(params.size4, params.mask4, params.a4, params.b4), vec4u(params.size5, params.mask5, params.a5, params.b5),
  );
  var rest = i;
  var offsets = vec3u();
  for (var k = DIMS; k > 1u; k--) {
    let dim = dims[k - 1u];
    offsets += (rest % dim.x) * dim.yzw;
    rest /= dim.x;
  }
  return offsets + rest * dims[0].yzw;
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  let at = id.z * vec3u(params.mask_stride, params.a_stride, params.b_stride) + place(i);
  let takes_a = (mask[at.x] != 0) == (TAKE_A_WHEN == 1u);
  var other = params.value;
  if (FILL == 0u) { other = b[at.z]; }
  y[id.z * params.y_stride + i] = select(other, a[at.y], takes_a);
}
