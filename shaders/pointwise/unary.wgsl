// y = f(x) over n elements, FUNCTION says which f: torch.relu, tanh, sigmoid, nn.functional.gelu (erf and tanh forms),
// leaky_relu, elu, silu, softplus, torch.exp, abs, square, neg, log, sqrt, rsqrt, pow, clamp. p and q are its
// attributes (slope; alpha; beta, threshold; exponent; min, max). One invocation takes four neighbours, all through f
// as one vector: software adapters and GPUs alike prefer it, and the pipeline builds in a quarter of the time. The last
// vector may reach into the padding of the tensor.
override FUNCTION: u32 = 0u;
override WIDTH: u32 = 64u;
override DEPTH: u32 = 1u; // instances per workgroup

struct Params {
  n: u32,
  p: f32,
  q: f32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: vec4f) -> vec4<bool> { return (bitcast<vec4u>(v) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u); }

fn nan() -> vec4f {
  return vec4f(bitcast<f32>(0x7fc00000u | params.n));
}

// Within 2e-7, where WGSL's builtin may be off by 1e-5: a series near 0, where 1 - 2 / (e^2v + 1) would cancel, and
// that formula elsewhere. From 9 on float32 tanh is 1, and exp stays far from overflow.
fn tanh_accurate(v: vec4f) -> vec4f {
  let s = v * v;
  let near = v * (1.0 + s * (-0.33333334 + s * (0.13333334 + s * (-0.05396825 + s * 0.021869488))));
  let t = 1.0 - 2.0 / (exp(2.0 * min(abs(v), vec4f(9.0))) + 1.0);
  return select(select(t, -t, v < vec4f()), near, s < vec4f(0.09));
}

// Within 2e-7: a polynomial in v^2 below 1, e^(-v^2) times one in 1 / (1 + v / 2) above.
fn erf(v: vec4f) -> vec4f {
  let z = v * v;
  let top = 0.0052210534 + z * (-0.00084843966 + z * (0.00011268254 + z * -9.673591e-6));
  let near = v * (1.1283792 + z * (-0.37612638 + z * (0.11283783 + z * (-0.026865438 + z * top))));
  let t = 1.0 / (1.0 + 0.5 * abs(v));
  let high = -0.05688349 + t * (0.50449744 + t * (-0.4306118 + t * 0.10747069));
  let tail = 1.0 - exp(-z) * (-9.300193e-5 + t * (0.28396944 + t * (0.26584053 + t * (0.32577757 + t * high))));
  return select(select(tail, -tail, v < vec4f()), near, z < vec4f(1.0));
}

// e^v - 1: a series near 0, where the difference would cancel.
fn expm1(v: vec4f) -> vec4f {
  let high = 0.041666668 + v * (0.008333334 + v * (0.0013888889 + v * 0.0001984127));
  return select(v * (1.0 + v * (0.5 + v * (0.16666667 + v * high))), exp(v) - 1.0, abs(v) > vec4f(0.3));
}

// log(1 + e^v) as max(v, 0) + log(1 + e^-|v|), the logarithm by its series where e^-|v| is small.
fn log_one_plus_exp(v: vec4f) -> vec4f {
  let t = exp(-abs(v));
  let series = t * (1.0 + t * (-0.5 + t * (0.33333334 + t * (-0.25 + t * (0.2 + t * (-0.16666667 + t * 0.14285715))))));
  return max(v, vec4f()) + select(log(1.0 + t), series, t < vec4f(0.1));
}

// v^e: the builtin is undefined for v < 0, where a whole e gives +-|v|^e, any other NaN. Small powers are products, as
// in PyTorch.
fn power(v: vec4f, e: f32) -> vec4f {
  if (e == 0.0) { return vec4f(1.0); }
  if (e == 1.0) { return v; }
  if (e == 2.0) { return v * v; }
  if (e == 3.0) { return v * v * v; }
  if (e == -1.0) { return 1.0 / v; }
  let magnitude = select(pow(abs(v), vec4f(e)), select(vec4f(), 1.0 / abs(v), e < 0.0), v == vec4f());
  var negative = select(magnitude, -magnitude, floor(e * 0.5) * 2.0 != e);
  if (e != floor(e)) { negative = nan(); }
  return select(magnitude, negative, v < vec4f());
}

fn f(v: vec4f) -> vec4f {
  switch FUNCTION {
    case 0u: { return select(v, vec4f(), v <= vec4f()); }
    case 1u: { return tanh_accurate(v); }
    case 2u: { return 1.0 / (1.0 + exp(-v)); }
    case 3u: { return (v * 0.5) * (1.0 + erf(v * 0.70710677)); }
    case 4u: { return (v * 0.5) * (1.0 + tanh_accurate(0.7978846 * (v + 0.044715 * (v * v * v)))); }
    case 5u: { return select(v * params.p, v, v > vec4f()); }
    case 6u: { return select(v, expm1(v) * params.p, v <= vec4f()); }
    case 7u: { return v / (1.0 + exp(-v)); }
    case 8u: { return select(log_one_plus_exp(v * params.p) / params.p, v, v * params.p > vec4f(params.q)); }
    case 9u: { return exp(v); }
    case 10u: { return abs(v); }
    case 11u: { return v * v; }
    case 12u: { return -v; }
    case 13u: { return select(log(v), nan(), v < vec4f()); }
    case 14u: { return select(sqrt(v), nan(), v < vec4f()); }
    case 15u: { return power(v, params.p); }
    case 16u: { return select(select(v, vec4f(params.p), v < vec4f(params.p)), vec4f(params.q), v > vec4f(params.q)); }
    default: { return select(1.0 / sqrt(v), nan(), v < vec4f()); } // 17: rsqrt
  }
}

@compute @workgroup_size(WIDTH, 1, DEPTH)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i * 4u >= params.n) { return; }
  let v = x[id.z * params.x_stride / 4u + i];
  let passes = is_nan(v) & vec4<bool>(FUNCTION != 15u || params.p != 0.0); // NaN^0 is 1
  y[id.z * params.y_stride / 4u + i] = select(f(v), v, passes);
}
