// dx = dy f'(x) over n elements, the gradients of pointwise/unary; FUNCTION, p and q as there. `saved` is what PyTorch saves: the output y for
// relu, tanh, sigmoid, exp, sqrt and rsqrt, the input x for all others. One invocation takes four neighbours.
override FUNCTION: u32 = 0u;

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
fn is_nan(v: f32) -> bool {
  return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u;
}

fn nan() -> f32 {
  return bitcast<f32>(0x7fc00000u | params.n);
}

// As in pointwise/unary.
fn tanh_accurate(v: f32) -> f32 {
  let s = v * v;
  if (s < 0.09) { return v * (1.0 + s * (-0.33333334 + s * (0.13333334 + s * (-0.05396825 + s * 0.021869488)))); }
  let t = 1.0 - 2.0 / (exp(2.0 * min(abs(v), 9.0)) + 1.0);
  return select(t, -t, v < 0.0);
}

// As in pointwise/unary.
fn erf(v: f32) -> f32 {
  let a = abs(v);
  let z = v * v;
  if (a < 1.0) {
    let high = 0.0052210534 + z * (-0.00084843966 + z * (0.00011268254 + z * -9.673591e-6));
    return v * (1.1283792 + z * (-0.37612638 + z * (0.11283783 + z * (-0.026865438 + z * high))));
  }
  if (a > 6.0) { return sign(v); }
  let t = 1.0 / (1.0 + 0.5 * a);
  let high = -0.05688349 + t * (0.50449744 + t * (-0.4306118 + t * 0.10747069));
  let tail = 1.0 - exp(-z) * (-9.300193e-5 + t * (0.28396944 + t * (0.26584053 + t * (0.32577757 + t * high))));
  return select(tail, -tail, v < 0.0);
}

fn gelu_tanh_slope(v: f32) -> f32 {
  let square = v * v;
  let t = tanh_accurate(0.7978846 * (v + 0.044715 * (square * v)));
  return 0.5 * (1.0 + t) + (0.5 * v) * (1.0 - t * t) * (0.7978846 * (1.0 + 0.134145 * square));
}

// v^e for the slope of pow, as in pointwise/unary.
fn power(v: f32, e: f32) -> f32 {
  if (e == 0.0) { return 1.0; }
  if (e == 1.0) { return v; }
  if (e == 2.0) { return v * v; }
  if (e == -0.5) { return select(1.0 / sqrt(v), nan(), v < 0.0); }
  if (v == 0.0) { return select(0.0, 1.0 / abs(v), e < 0.0); }
  let magnitude = pow(abs(v), e);
  if (v > 0.0) { return magnitude; }
  if (e != floor(e) || is_nan(v)) { return nan(); }
  return select(magnitude, -magnitude, floor(e * 0.5) * 2.0 != e);
}

fn f(d: f32, v: f32) -> f32 {
  switch FUNCTION {
    case 0u: { return select(d, 0.0, v <= 0.0); }
    case 1u: { return d * (1.0 - v * v); }
    case 2u: { return d * (1.0 - v) * v; }
    case 3u: { return d * (0.5 * (1.0 + erf(v * 0.70710677)) + v * (exp(-0.5 * (v * v)) * 0.3989423)); }
    case 4u: { return d * gelu_tanh_slope(v); }
    case 5u: { return select(d * params.p, d, v > 0.0); }
    case 6u: { return select(d, d * params.p * exp(v), v <= 0.0 && !is_nan(v)); }
    case 7u: {
      let s = 1.0 / (1.0 + exp(-v));
      return d * s * (1.0 + v * (1.0 - s));
    }
    case 8u: {
      let s = d / (1.0 + exp(-v * params.p));
      return select(select(s, d, v * params.p > params.q), v, is_nan(v));
    }
    case 9u: { return d * v; }
    case 10u: { return select(d * sign(v), 0.0, is_nan(v)); } // torch.sign(NaN) is 0
    case 11u: { return d * (2.0 * v); }
    case 13u: { return d / v; }
    case 14u: { return d / (2.0 * v); }
    case 15u: {
      if (params.p == 0.0) { return 0.0; }
      return d * (params.p * power(v, params.p - 1.0));
    }
    case 16u: { return select(0.0, d, v >= params.p && v <= params.q && !is_nan(v)); }
    default: { return -0.5 * d * (v * v * v); } // 17: rsqrt
  }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i * 4u >= params.n) { return; }
  let d = dy[id.z * params.dy_stride / 4u + i];
  let v = saved[id.z * params.saved_stride / 4u + i];
  dx[id.z * params.dx_stride / 4u + i] = vec4f(f(d.x, v.x), f(d.y, v.y), f(d.z, v.z), f(d.w, v.w));
}
