// dx = dy f'(x) over n elements, the gradients of pointwise/unary; FUNCTION, p and q as there. `saved` is what PyTorch
// saves: the output y for relu, tanh, sigmoid, exp, sqrt and rsqrt, the input x for all others. One invocation takes
// four neighbours.
override FUNCTION: u32 = 0u;
override WIDTH: u32 = 64u;
override DEPTH: u32 = 1u; // instances per workgroup

struct Params {
  n: u32,
  p: f32,
  q: f32,
  dy_stride: u32,
  saved_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<vec4f>;
@group(0) @binding(1) var<storage, read> saved: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> dx: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: vec4f) -> vec4<bool> { return (bitcast<vec4u>(v) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u); }

fn nan() -> vec4f {
  return vec4f(bitcast<f32>(0x7fc00000u | params.n));
}

// As in pointwise/unary.
fn tanh_accurate(v: vec4f) -> vec4f {
  let s = v * v;
  let near = v * (1.0 + s * (-0.33333334 + s * (0.13333334 + s * (-0.05396825 + s * 0.021869488))));
  let t = 1.0 - 2.0 / (exp(2.0 * min(abs(v), vec4f(9.0))) + 1.0);
  return select(select(t, -t, v < vec4f()), near, s < vec4f(0.09));
}

// As in pointwise/unary.
fn erf(v: vec4f) -> vec4f {
  let z = v * v;
  let top = 0.0052210534 + z * (-0.00084843966 + z * (0.00011268254 + z * -9.673591e-6));
  let near = v * (1.1283792 + z * (-0.37612638 + z * (0.11283783 + z * (-0.026865438 + z * top))));
  let t = 1.0 / (1.0 + 0.5 * abs(v));
  let high = -0.05688349 + t * (0.50449744 + t * (-0.4306118 + t * 0.10747069));
  let tail = 1.0 - exp(-z) * (-9.300193e-5 + t * (0.28396944 + t * (0.26584053 + t * (0.32577757 + t * high))));
  return select(select(tail, -tail, v < vec4f()), near, z < vec4f(1.0));
}

fn gelu_tanh_slope(v: vec4f) -> vec4f {
  let square = v * v;
  let t = tanh_accurate(0.7978846 * (v + 0.044715 * (square * v)));
  return 0.5 * (1.0 + t) + (0.5 * v) * (1.0 - t * t) * (0.7978846 * (1.0 + 0.134145 * square));
}

// v^e for the slope of pow, as in pointwise/unary.
fn power(v: vec4f, e: f32) -> vec4f {
  if (e == 0.0) { return vec4f(1.0); }
  if (e == 1.0) { return v; }
  if (e == 2.0) { return v * v; }
  let magnitude = select(pow(abs(v), vec4f(e)), select(vec4f(), 1.0 / abs(v), e < 0.0), v == vec4f());
  var negative = select(magnitude, -magnitude, floor(e * 0.5) * 2.0 != e);
  if (e != floor(e)) { negative = nan(); }
  return select(select(magnitude, negative, v < vec4f()), v, is_nan(v));
}

fn f(d: vec4f, v: vec4f) -> vec4f {
  switch FUNCTION {
    case 0u: { return select(d, vec4f(), v <= vec4f()); }
    case 1u: { return d * (1.0 - v * v); }
    case 2u: { return d * (1.0 - v) * v; }
    case 3u: { return d * (0.5 * (1.0 + erf(v * 0.70710677)) + v * (exp(-0.5 * (v * v)) * 0.3989423)); }
    case 4u: { return d * gelu_tanh_slope(v); }
    case 5u: { return select(d * params.p, d, v > vec4f()); }
    case 6u: { return select(d, d * params.p * exp(v), (v <= vec4f()) & !is_nan(v)); }
    case 7u: {
      let s = 1.0 / (1.0 + exp(-v));
      return d * s * (1.0 + v * (1.0 - s));
    }
    case 8u: {
      let s = d / (1.0 + exp(-v * params.p));
      return select(select(s, d, v * params.p > vec4f(params.q)), v, is_nan(v));
    }
    case 9u: { return d * v; }
    case 10u: { return select(d * sign(v), vec4f(), is_nan(v)); } // torch.sign(NaN) is 0
    case 11u: { return d * (2.0 * v); }
    case 13u: { return d / v; }
    case 14u: { return d / (2.0 * v); }
    case 15u: {
      if (params.p == 0.0) { return vec4f(); }
      return d * (params.p * power(v, params.p - 1.0));
    }
    case 16u: { return select(vec4f(), d, (v >= vec4f(params.p)) & (v <= vec4f(params.q)) & !is_nan(v)); }
    default: { return -0.5 * d * (v * v * v); } // 17: rsqrt
  }
}

@compute @workgroup_size(WIDTH, 1, DEPTH)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i * 4u >= params.n) { return; }
  let d = dy[id.z * params.dy_stride / 4u + i];
  dx[id.z * params.dx_stride / 4u + i] = f(d, saved[id.z * params.saved_stride / 4u + i]);
}
