// dx = sum of dy df/dx over the elements of y that x, one of the operands a and b of a broadcasting f, was repeated
// into: gradient of torch.add, sub, mul, div and maximum (which shares it evenly at ties). GRADIENT: 0 dy, 1 -dy, 2 dy
// b, 3 dy a, 4 dy / b, 5 -dy a / b^2, 6 and 7 maximum by a and by b. The first KEPT of the DIMS dimensions are those of
// x; one invocation per element of x sums over the rest, the last of them in a chain of its own.
override GRADIENT: u32 = 0u;
override DIMS: u32 = 6u;
override KEPT: u32 = 6u;

struct Params {
  n: u32, // elements of dx
  chains: u32, // product of the summed sizes but the last
  length: u32, // the last summed size, or 1
  size0: u32, size1: u32, size2: u32, size3: u32, size4: u32, size5: u32,
  dy0: u32, dy1: u32, dy2: u32, dy3: u32, dy4: u32, dy5: u32,
  a0: u32, a1: u32, a2: u32, a3: u32, a4: u32, a5: u32,
  b0: u32, b1: u32, b2: u32, b3: u32, b4: u32, b5: u32,
  dy_stride: u32,
  a_stride: u32,
  b_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

fn dims() -> array<vec4u, 6> { // size, steps of dy, a and b
  return array<vec4u, 6>(
    vec4u(params.size0, params.dy0, params.a0, params.b0), vec4u(params.size1, params.dy1, params.a1, params.b1),
    vec4u(params.size2, params.dy2, params.a2, params.b2), vec4u(params.size3, params.dy3, params.a3, params.b3),
    vec4u(params.size4, params.dy4, params.a4, params.b4), vec4u(params.size5, params.dy5, params.a5, params.b5),
  );
}

// Offsets of dy, a and b at index i of dimensions [first, last).
fn place(i: u32, first: u32, last: u32) -> vec3u {
  var sizes = dims();
  var rest = i;
  var offsets = vec3u();
  for (var k = last; k > first; k--) {
    let dim = sizes[k - 1u];
    offsets += (rest % dim.x) * dim.yzw;
    rest /= dim.x;
  }
  return offsets;
}

fn share(d: f32, v: f32, w: f32) -> f32 { // of maximum(v, w), to v
  return select(select(d, 0.5 * d, v == w), 0.0, v < w);
}

fn term(j: vec3u) -> f32 {
  let d = dy[j.x];
  switch GRADIENT {
    case 0u: { return d; }
    case 1u: { return -d; }
    case 2u: { return d * b[j.z]; }
    case 3u: { return d * a[j.y]; }
    case 4u: { return d / b[j.z]; }
    case 5u: { return -d * ((a[j.y] / b[j.z]) / b[j.z]); }
    case 6u: { return share(d, a[j.y], b[j.z]); }
    default: { return share(d, b[j.z], a[j.y]); }
  }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  let start = id.z * vec3u(params.dy_stride, params.a_stride, params.b_stride) + place(i, 0u, KEPT);
  var sizes = dims();
  var step = vec3u();
  if (KEPT < DIMS) { step = sizes[DIMS - 1u].yzw; }
  var total = 0.0;
  for (var chain = 0u; chain < params.chains; chain++) {
    var j = start;
    if (KEPT + 1u < DIMS) { j += place(chain, KEPT, DIMS - 1u); }
    var sum = 0.0;
    for (var k = 0u; k < params.length; k++) {
      sum += term(j);
      j += step;
    }
    total += sum;
  }
  dx[id.z * params.dx_stride + i] = total;
}
