// First half of the sums that the gradients of batch and group norm need per channel: sum dy and sum dy (x - mean), in
// parts as norm/moments has them. dy, x [batch, channels, plane] -> partial [2, channels, parts]; one mean for every
// `span` channels. (torch.batch_norm_backward_reduce.) As norm/grad-sums, four neighbours at a time, for planes that
// are multiples of 4: twice as fast on a software adapter. `plane` counts vectors.
struct Params {
  batch: u32,
  channels: u32,
  plane: u32,
  slices: u32,
  lanes: u32,
  span: u32,
  dy_stride: u32,
  x_stride: u32,
  mean_stride: u32,
  partial_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<vec4f>;
@group(0) @binding(1) var<storage, read> x: array<vec4f>;
@group(0) @binding(2) var<storage, read> mean: array<f32>;
@group(0) @binding(3) var<storage, read_write> partial: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let lane = i % params.lanes;
  let channel = (i / params.lanes) % params.channels;
  let slice = i / (params.lanes * params.channels);
  if (slice >= params.slices) { return; }
  let center = mean[id.z * params.mean_stride + channel / params.span];
  var sums = vec4f();
  var sums_xmu = vec4f();
  for (var n = slice; n < params.batch; n += params.slices) {
    let row = (n * params.channels + channel) * params.plane;
    let dy_row = id.z * (params.dy_stride / 4u) + row;
    let x_row = id.z * (params.x_stride / 4u) + row;
    for (var p = lane; p < params.plane; p += params.lanes) {
      let g = dy[dy_row + p];
      sums += g;
      sums_xmu += g * (x[x_row + p] - center);
    }
  }
  let parts = params.slices * params.lanes;
  let out = id.z * params.partial_stride + channel * parts + slice * params.lanes + lane;
  partial[out] = dot(sums, vec4f(1.0));
  partial[out + params.channels * parts] = dot(sums_xmu, vec4f(1.0));
}
