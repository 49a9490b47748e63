// Up to three elementwise operators in a row, each of the result of the one before: y = f2(f1(f0(x, a), b), c), all of
// n elements. What is between them never goes through memory. F0, F1, F2 say which: functions of pointwise/unary as
// they are there (torch.nn.functional.gelu: 3), 32 + those of pointwise/unary-grad (the operand is what was saved),
// 64 + those of pointwise/binary (128 + where the operand comes first), 255: none. pow stays alone. p and q as there.
// Same formulas, same bits. One invocation takes four neighbours; the last vector may reach into the padding of the
// tensor.
override F0: u32 = 255u;
override F1: u32 = 255u;
override F2: u32 = 255u;

struct Params {
  n: u32,
  p0: f32, q0: f32, p1: f32, q1: f32, p2: f32, q2: f32,
  x_stride: u32, a_stride: u32, b_stride: u32, c_stride: u32, y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> a: array<vec4f>;
@group(0) @binding(2) var<storage, read> b: array<vec4f>;
@group(0) @binding(3) var<storage, read> c: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> y: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: vec4f) -> vec4<bool> { return (bitcast<vec4u>(v) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u); }
fn nan() -> vec4f {
  return vec4f(bitcast<f32>(0x7fc00000u | params.n));
}

fn tanh_accurate(v: vec4f) -> vec4f {
  let s = v * v;
  let near = v * (1.0 + s * (-0.33333334 + s * (0.13333334 + s * (-0.05396825 + s * 0.021869488))));
  let t = 1.0 - 2.0 / (exp(2.0 * min(abs(v), vec4f(9.0))) + 1.0);
  return select(select(t, -t, v < vec4f()), near, s < vec4f(0.09));
}
fn erf(v: vec4f) -> vec4f {
  let z = v * v;
  let top = 0.0052210534 + z * (-0.00084843966 + z * (0.00011268254 + z * -9.673591e-6));
  let near = v * (1.1283792 + z * (-0.37612638 + z * (0.11283783 + z * (-0.026865438 + z * top))));
  let t = 1.0 / (1.0 + 0.5 * abs(v));
  let high = -0.05688349 + t * (0.50449744 + t * (-0.4306118 + t * 0.10747069));
  let tail = 1.0 - exp(-z) * (-9.300193e-5 + t * (0.28396944 + t * (0.26584053 + t * (0.32577757 + t * high))));
  return select(select(tail, -tail, v < vec4f()), near, z < vec4f(1.0));
}
fn expm1(v: vec4f) -> vec4f {
  let high = 0.041666668 + v * (0.008333334 + v * (0.0013888889 + v * 0.0001984127));
  return select(v * (1.0 + v * (0.5 + v * (0.16666667 + v * high))), exp(v) - 1.0, abs(v) > vec4f(0.3));
}
fn log_one_plus_exp(v: vec4f) -> vec4f {
  let t = exp(-abs(v));
  let series = t * (1.0 + t * (-0.5 + t * (0.33333334 + t * (-0.25 + t * (0.2 + t * (-0.16666667 + t * 0.14285715))))));
  return max(v, vec4f()) + select(log(1.0 + t), series, t < vec4f(0.1));
}
fn gelu_tanh_slope(v: vec4f) -> vec4f {
  let square = v * v;
  let t = tanh_accurate(0.7978846 * (v + 0.044715 * (square * v)));
  return 0.5 * (1.0 + t) + (0.5 * v) * (1.0 - t * t) * (0.7978846 * (1.0 + 0.134145 * square));
}
fn silu_slope(d: vec4f, v: vec4f) -> vec4f {
  let s = 1.0 / (1.0 + exp(-v));
  return d * s * (1.0 + v * (1.0 - s));
}
// What a stage gave, through bits that no driver knows: else one may fuse the product of a stage with the sum of the
// next into a single rounding (NVIDIA's does), and the bits are no longer those of separate operators. n is below 2^31.
fn rounded(v: vec4f) -> vec4f { return bitcast<vec4f>(bitcast<vec4u>(v) ^ vec4u(params.n >> 31u)); }
fn larger(v: vec4f, w: vec4f) -> vec4f { return select(select(select(w, v, v > w), w, is_nan(w)), v, is_nan(v)); }

// v has come so far, w is the operand of this stage.
fn f(code: u32, v: vec4f, w: vec4f, p: f32, q: f32) -> vec4f {
  switch code {
    case 0u: { return select(v, vec4f(), (v <= vec4f()) & !is_nan(v)); }
    case 1u: { return select(tanh_accurate(v), v, is_nan(v)); }
    case 2u: { return select(1.0 / (1.0 + exp(-v)), v, is_nan(v)); }
    case 3u: { return select((v * 0.5) * (1.0 + erf(v * 0.70710677)), v, is_nan(v)); }
    case 4u: {
      return select((v * 0.5) * (1.0 + tanh_accurate(0.7978846 * (v + 0.044715 * (v * v * v)))), v, is_nan(v));
    }
    case 5u: { return select(select(v * p, v, v > vec4f()), v, is_nan(v)); }
    case 6u: { return select(select(v, expm1(v) * p, v <= vec4f()), v, is_nan(v)); }
    case 7u: { return select(v / (1.0 + exp(-v)), v, is_nan(v)); }
    case 8u: { return select(select(log_one_plus_exp(v * p) / p, v, v * p > vec4f(q)), v, is_nan(v)); }
    case 9u: { return select(exp(v), v, is_nan(v)); }
    case 10u: { return select(abs(v), v, is_nan(v)); }
    case 11u: { return select(v * v, v, is_nan(v)); }
    case 12u: { return select(-v, v, is_nan(v)); }
    case 13u: { return select(select(log(v), nan(), v < vec4f()), v, is_nan(v)); }
    case 14u: { return select(select(sqrt(v), nan(), v < vec4f()), v, is_nan(v)); }
    case 16u: { return select(select(select(v, vec4f(p), v < vec4f(p)), vec4f(q), v > vec4f(q)), v, is_nan(v)); }
    case 17u: { return select(select(1.0 / sqrt(v), nan(), v < vec4f()), v, is_nan(v)); }
    case 32u: { return select(v, vec4f(), w <= vec4f()); }
    case 33u: { return v * (1.0 - w * w); }
    case 34u: { return v * (1.0 - w) * w; }
    case 35u: { return v * (0.5 * (1.0 + erf(w * 0.70710677)) + w * (exp(-0.5 * (w * w)) * 0.3989423)); }
    case 36u: { return v * gelu_tanh_slope(w); }
    case 37u: { return select(v * p, v, w > vec4f()); }
    case 38u: { return select(v, v * p * exp(w), (w <= vec4f()) & !is_nan(w)); }
    case 39u: { return silu_slope(v, w); }
    case 40u: { return select(select(v / (1.0 + exp(-w * p)), v, w * p > vec4f(q)), w, is_nan(w)); }
    case 41u: { return v * w; }
    case 42u: { return select(v * sign(w), vec4f(), is_nan(w)); }
    case 43u: { return v * (2.0 * w); }
    case 45u: { return v / w; }
    case 46u: { return v / (2.0 * w); }
    case 48u: { return select(vec4f(), v, (w >= vec4f(p)) & (w <= vec4f(q)) & !is_nan(w)); }
    case 49u: { return -0.5 * v * (w * w * w); }
    case 64u, 128u: { return v + w; }
    case 65u: { return v - w; }
    case 129u: { return w - v; }
    case 66u, 130u: { return v * w; }
    case 67u: { return v / w; }
    case 131u: { return w / v; }
    case 68u: { return larger(v, w); }
    case 132u: { return larger(w, v); }
    case 69u: { return v * (w * p); }
    case 133u: { return w * (v * p); }
    default: { return v; }
  }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i * 4u >= params.n) { return; }
  var v = x[id.z * params.x_stride / 4u + i];
  v = rounded(f(F0, v, a[id.z * params.a_stride / 4u + i], params.p0, params.q0));
  v = rounded(f(F1, v, b[id.z * params.b_stride / 4u + i], params.p1, params.q1));
  y[id.z * params.y_stride / 4u + i] = f(F2, v, c[id.z * params.c_stride / 4u + i], params.p2, params.q2);
}
