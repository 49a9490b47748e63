// loss = sum of f(x[i], t[i]) / divisor and dx = f'(x, t) upstream / divisor in one dispatch, for a small batch of n
// elements: loss/elementwise and loss/elementwise-grad with reduction 'mean' or 'sum'. FUNCTION as there: 0
// torch.nn.MSELoss, 1 L1Loss, 2 SmoothL1Loss (p = beta), 3 BCEWithLogitsLoss, 5 HuberLoss (p = delta). One
// invocation per element of dx; the first one also adds up the loss, in order.
override FUNCTION: u32 = 0u;
override WIDTH: u32 = 32u;
override DEPTH: u32 = 1u; // instances per workgroup

struct Params {
  n: u32,
  divisor: f32,
  p: f32,
  x_stride: u32,
  t_stride: u32,
  upstream_stride: u32,
  loss_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> t: array<f32>;
@group(0) @binding(2) var<storage, read> upstream: array<f32>;
@group(0) @binding(3) var<storage, read_write> loss: array<f32>;
@group(0) @binding(4) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away, and exp(NaN) may be finite.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

fn f(v: f32, target_: f32) -> f32 {
  if (is_nan(v)) { return v; }
  let d = v - target_;
  switch FUNCTION {
    case 0u: { return d * d; }
    case 1u: { return abs(d); }
    case 2u: { return select(abs(d) - 0.5 * params.p, 0.5 * d * d / params.p, abs(d) < params.p); }
    case 5u: { return select(params.p * (abs(d) - 0.5 * params.p), 0.5 * d * d, abs(d) <= params.p); }
    default: {
      let m = max(-v, 0.0);
      return (1.0 - target_) * v + (log(exp(-m) + exp(-v - m)) + m);
    }
  }
}

fn slope(v: f32, target_: f32) -> f32 {
  let d = v - target_;
  switch FUNCTION {
    case 0u: { return 2.0 * d; }
    case 1u: { return select(sign(d), 0.0, is_nan(d)); } // torch.sign(NaN) is 0
    case 2u: { return select(select(d / params.p, sign(d), abs(d) >= params.p), d, is_nan(d)); }
    case 5u: { return select(clamp(d, -params.p, params.p), d, is_nan(d)); }
    default: { return select(1.0 / (1.0 + exp(-v)) - target_, v, is_nan(v)); }
  }
}

@compute @workgroup_size(WIDTH, 1, DEPTH)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  if (i >= params.n) { return; }
  let from_x = id.z * params.x_stride;
  let from_t = id.z * params.t_stride;
  let d = upstream[id.z * params.upstream_stride];
  dx[id.z * params.dx_stride + i] = slope(x[from_x + i], t[from_t + i]) * d / params.divisor;
  if (i > 0u) { return; }
  var sum = 0.0;
  for (var k = 0u; k < params.n; k++) { sum += f(x[from_x + k], t[from_t + k]); }
  loss[id.z * params.loss_stride] = sum / params.divisor;
}
