// y = f(a, b) with PyTorch's broadcasting of both operands, one element per invocation; FUNCTION and p as in
// pointwise/binary. y runs over DIMS dimensions of `size`, outermost first; a step of an operand is 0 where it repeats.
override FUNCTION: u32 = 0u;
override DIMS: u32 = 6u;

struct Params {
  n: u32, p: f32,
  size0: u32, size1: u32, size2: u32, size3: u32, size4: u32, size5: u32,
  a0: u32, a1: u32, a2: u32, a3: u32, a4: u32, a5: u32,
  b0: u32, b1: u32, b2: u32, b3: u32, b4: u32, b5: u32,
  a_stride: u32,
  b_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// Offsets of a and b at element i of y.
fn place(i: u32) -> vec2u {
  var dims = array<vec3u, 6>( // size, step of a, step of b
    vec3u(params.size0, params.a0, params.b0), vec3u(params.size1, params.a1, params.b1),
    vec3u(params.size2, params.a2, params.b2), vec3u(params.size3, params.a3, params.b3),
    vec3u(params.size4, params.a4, params.b4), vec3u(params.size5, params.a5, params.b5),
  );
  var rest = i;
  var offsets = vec2u();
  for (var k = DIMS; k > 1u; k--) {
    let dim = dims[k - 1u];
    offsets += (rest % dim.x) * dim.yz;
    rest /= dim.x;
  }
  return offsets + rest * dims[0].yz;
}

fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

fn f(v: f32, w: f32) -> f32 {
  switch FUNCTION {
    case 0u: { return v + w; }
    case 1u: { return v - w; }
    case 2u: { return v * w; }
    case 3u: { return v / w; }
    case 4u: { return select(select(select(w, v, v > w), w, is_nan(w)), v, is_nan(v)); }
    default: { return v * (w * params.p); }
  }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  let at = place(i);
  y[id.z * params.y_stride + i] = f(a[id.z * params.a_stride + at.x], b[id.z * params.b_stride + at.y]);
}
