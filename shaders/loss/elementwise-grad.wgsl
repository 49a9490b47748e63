// dx = f'(x, t) upstream / divisor: gradients of loss/elementwise to x, or with sign = -1 to t (where f depends on x -
// t). FUNCTION, p and pos_weight as there. upstream is one number, or with PER_ELEMENT one per element (reduction
// 'none'). One invocation takes four neighbours.
override FUNCTION: u32 = 0u;
override HAS_POS_WEIGHT: u32 = 0u;
override PER_ELEMENT: u32 = 0u;
override WIDTH: u32 = 64u;
override DEPTH: u32 = 1u; // instances per workgroup

struct Params {
  n: u32,
  period: u32,
  divisor: f32,
  sign: f32,
  p: f32,
  x_stride: u32,
  t_stride: u32,
  pos_weight_stride: u32,
  upstream_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read> t: array<vec4f>;
@group(0) @binding(2) var<storage, read> pos_weight: array<f32>;
@group(0) @binding(3) var<storage, read> upstream: array<f32>;
@group(0) @binding(4) var<storage, read_write> dx: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

fn bce_with_logits(v: f32, target_: f32, weight: f32) -> f32 {
  let s = 1.0 / (1.0 + exp(-v));
  if (HAS_POS_WEIGHT == 0u) { return s - target_; }
  let positive = weight * target_;
  return (positive + 1.0 - target_) * s - positive;
}

fn slope(v: f32, target_: f32, weight: f32) -> f32 {
  let d = v - target_;
  switch FUNCTION {
    case 0u: { return 2.0 * d; }
    case 1u: { return select(sign(d), 0.0, is_nan(d)); } // torch.sign(NaN) is 0
    case 2u: { return select(select(d / params.p, sign(d), abs(d) >= params.p), d, is_nan(d)); }
    case 5u: { return select(clamp(d, -params.p, params.p), d, is_nan(d)); }
    case 3u: { return select(bce_with_logits(v, target_, weight), v, is_nan(v)); }
    default: { return select(d / max((1.0 - v) * v, 1e-12), v, is_nan(v)); }
  }
}

fn term(i: u32, instance: u32, v: f32, target_: f32) -> f32 {
  if (i >= params.n) { return 0.0; }
  var weight = 1.0;
  if (HAS_POS_WEIGHT == 1u) { weight = pos_weight[instance * params.pos_weight_stride + i % params.period]; }
  let d = upstream[instance * params.upstream_stride + i * PER_ELEMENT];
  return slope(v, target_, weight) * params.sign * d / params.divisor;
}

@compute @workgroup_size(WIDTH, 1, DEPTH)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let q = id.y * 2097152u + id.x;
  let i = q * 4u;
  if (i >= params.n) { return; }
  let v = x[id.z * params.x_stride / 4u + q];
  let w = t[id.z * params.t_stride / 4u + q];
  var slopes = v;
  for (var k = 0u; k < 4u; k++) { slopes[k] = term(i + k, id.z, v[k], w[k]); }
  dx[id.z * params.dx_stride / 4u + q] = slopes;
}
