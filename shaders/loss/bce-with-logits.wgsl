// loss[0] = sum of (1 - t) x + m + log(e^-m + e^(-x - m)), m = max(-x, 0), over n elements, divided by `divisor` (n for the mean,
// 1 for the sum): torch.nn.BCEWithLogitsLoss in its overflow-free form.
// LANES = 1: one invocation sums in order, which beats a tree where a batch is small. LANES = 64: each invocation of the workgroup
// sums every 64th element, and the first adds up the partial sums.
override LANES: u32 = 1u;

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

var<workgroup> partial: array<f32, 64>;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x_start = id.z * params.x_stride;
  let t_start = id.z * params.t_stride;
  var sum = 0.0;
  for (var i = id.x; i < params.n && id.x < LANES; i += LANES) {
    let v = x[x_start + i];
    let m = select(0.0, -v, v < 0.0);
    sum += (1.0 - t[t_start + i]) * v + m + log(exp(-m) + exp(-v - m));
  }
  if (LANES > 1u) {
    partial[id.x] = sum;
    workgroupBarrier();
  }
  if (id.x > 0u) { return; }
  for (var lane = 1u; lane < LANES; lane++) { sum += partial[lane]; }
  loss[id.z * params.loss_stride] = sum / params.divisor;
}
