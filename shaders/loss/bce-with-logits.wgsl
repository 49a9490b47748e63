// loss[0] = sum of (1 - t) x + m + log(e^-m + e^(-x - m)), m = max(-x, 0), over n elements, divided by `divisor` (n for the mean,
// 1 for the sum): torch.nn.BCEWithLogitsLoss in its overflow-free form. One invocation sums in order.
struct Params {
  n: u32,
  divisor: f32,
  x_stride: u32,
  t_stride: u32,
  loss_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> t: array<f32>;
@group(0) @binding(2) var<storage, read_write> loss: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x > 0u) { return; }
  let x_start = id.z * params.x_stride;
  let t_start = id.z * params.t_stride;
  var sum = 0.0;
  for (var i = 0u; i < params.n; i++) {
    let v = x[x_start + i];
    let m = select(0.0, -v, v < 0.0);
    sum += (1.0 - t[t_start + i]) * v + m + log(exp(-m) + exp(-v - m));
  }
  loss[id.z * params.loss_stride] = sum / params.divisor;
}
