// First half of a mean and variance per channel (torch.nn.functional.batch_norm, group_norm): x [batch, channels,
// plane] -> partial [2, channels, parts]: the mean of each part and its sum of squared deviations from that mean. A
// part is every `slices`-th batch row and, there, every `lanes`-th element of the plane; parts = slices * lanes. One
// invocation per part: neighbours read neighbouring elements. No barriers.
// 1: x is read once, for GPUs that wait for memory, and the first element takes the place of the first mean. Because it
// is one of the elements, an offset of all elements costs no digits.
override ONCE: u32 = 0u;

struct Params {
  batch: u32,
  channels: u32,
  plane: u32,
  slices: u32,
  lanes: u32,
  x_stride: u32,
  partial_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> partial: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: a driver may turn a comparison into max(), which may swallow NaN.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let lane = i % params.lanes;
  let channel = (i / params.lanes) % params.channels;
  let slice = i / (params.lanes * params.channels);
  if (slice >= params.slices) { return; }
  let start = id.z * params.x_stride + channel * params.plane;
  let step = params.channels * params.plane;
  let rows = (params.batch - slice + params.slices - 1u) / params.slices;
  let count = f32(rows * ((params.plane - lane + params.lanes - 1u) / params.lanes));
  var guess = x[start + slice * step + lane];
  if (ONCE == 0u) {
    var sum = 0.0;
    for (var n = slice; n < params.batch; n += params.slices) {
      let row = start + n * step;
      for (var p = lane; p < params.plane; p += params.lanes) { sum += x[row + p]; }
    }
    guess = sum / count;
  }
  // The deviations correct the mean too, whose sum may have lost digits to a large offset.
  var deviations = 0.0;
  var squares = 0.0;
  for (var n = slice; n < params.batch; n += params.slices) {
    let row = start + n * step;
    for (var p = lane; p < params.plane; p += params.lanes) {
      let d = x[row + p] - guess;
      deviations += d;
      squares += d * d;
    }
  }
  squares -= deviations * deviations / count;
  let parts = params.slices * params.lanes;
  let out = id.z * params.partial_stride + channel * parts + slice * params.lanes + lane;
  partial[out] = guess + deviations / count;
  partial[out + params.channels * parts] = select(max(squares, 0.0), squares, is_nan(squares));
}
