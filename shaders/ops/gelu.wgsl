// y = x Phi(x) = x/2 (1 + erf(x / sqrt 2)): torch.nn.functional.gelu over n elements, one an invocation; with APPROXIMATE = 1
// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), PyTorch's approximate='tanh'.
override APPROXIMATE: u32 = 0u;

struct Params {
  n: u32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// Within 2e-7: a polynomial in v^2 below 1, e^(-v^2) times one in 1 / (1 + v / 2) above.
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
  let q = -9.300193e-5 + t * (0.28396944 + t * (0.26584053 + t * (0.32577757 + t * high)));
  let tail = 1.0 - exp(-z) * q;
  return select(tail, -tail, v < 0.0);
}

// As in ops/tanh: the builtin may be off by 1e-5.
fn tanh_accurate(v: f32) -> f32 {
  let q = v * v;
  if (q < 0.09) { return v * (1.0 + q * (-0.33333334 + q * (0.13333334 + q * (-0.05396825 + q * 0.021869488)))); }
  let t = 1.0 - 2.0 / (exp(2.0 * min(abs(v), 9.0)) + 1.0);
  return select(t, -t, v < 0.0);
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  let v = x[id.z * params.x_stride + i];
  var inner: f32;
  if (APPROXIMATE == 1u) {
    inner = tanh_accurate(0.7978846 * (v + 0.044715 * (v * v * v)));
  } else {
    inner = erf(v * 0.70710677);
  }
  y[id.z * params.y_stride + i] = (v * 0.5) * (1.0 + inner);
}
