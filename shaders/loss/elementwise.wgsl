// y[j] = sum of f(x[i], t[i]) over i = j, j + parts, j + 2 parts ... below n, divided by `divisor`. FUNCTION:
// torch.nn.MSELoss, L1Loss, SmoothL1Loss (p = beta), BCEWithLogitsLoss, BCELoss, HuberLoss (p = delta). parts = 1: one
// invocation gives the whole loss of a small batch; parts = n: reduction 'none'; between: partial sums, which ops/sum
// adds up. pos_weight, if any, repeats with `period`.
override FUNCTION: u32 = 0u;
override HAS_POS_WEIGHT: u32 = 0u;
override WIDTH: u32 = 64u;
override DEPTH: u32 = 1u; // instances per workgroup

struct Params {
  n: u32,
  parts: u32,
  period: u32,
  divisor: f32,
  p: f32,
  x_stride: u32,
  t_stride: u32,
  pos_weight_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> t: array<f32>;
@group(0) @binding(2) var<storage, read> pos_weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

fn bce_with_logits(v: f32, target_: f32, weight: f32) -> f32 {
  let m = max(-v, 0.0);
  let tail = log(exp(-m) + exp(-v - m)) + m;
  return (1.0 - target_) * v + ((weight - 1.0) * target_ + 1.0) * tail;
}

fn f(v: f32, target_: f32, weight: f32) -> f32 {
  if (is_nan(v)) { return v; }
  let d = v - target_;
  switch FUNCTION {
    case 0u: { return d * d; }
    case 1u: { return abs(d); }
    case 2u: { return select(abs(d) - 0.5 * params.p, 0.5 * d * d / params.p, abs(d) < params.p); }
    case 5u: { return select(params.p * (abs(d) - 0.5 * params.p), 0.5 * d * d, abs(d) <= params.p); }
    case 3u: { return bce_with_logits(v, target_, weight); }
    default: { return (target_ - 1.0) * max(log(1.0 - v), -100.0) - target_ * max(log(v), -100.0); }
  }
}

@compute @workgroup_size(WIDTH, 1, DEPTH)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let j = id.y * 2097152u + id.x;
  if (j >= params.parts) { return; }
  var sum = 0.0;
  for (var i = j; i < params.n; i += params.parts) {
    var weight = 1.0;
    if (HAS_POS_WEIGHT == 1u) { weight = pos_weight[id.z * params.pos_weight_stride + i % params.period]; }
    sum += f(x[id.z * params.x_stride + i], t[id.z * params.t_stride + i], weight);
  }
  y[id.z * params.y_stride + j] = sum / params.divisor;
}
