// part[p, start + c] = sum of dy[n, c, i, :] over the rows (n, i) of part p: first half of the gradient of a bias that
// torch.nn.functional.conv2d or conv_transpose2d adds to channels; conv/add-parts adds the parts. dy [batch, channels,
// height, width]; row = sample and row of the image; part p holds rows p * rows_of_part onwards and is `length` long.
// One invocation computes the sum of one channel over one part.
struct Params {
  n: u32, // parts * channels
  rows_of_part: u32,
  length: u32,
  start: u32,
  batch: u32,
  channels: u32,
  height: u32,
  width: u32,
  dy_stride: u32,
  part_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read_write> part: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let e = id.y * 2097152u + id.x;
  if (e >= params.n) { return; }
  let p = e / params.channels;
  let c = e % params.channels;
  let end = min(params.batch * params.height, (p + 1u) * params.rows_of_part);
  var sum = 0.0;
  for (var row = p * params.rows_of_part; row < end; row++) {
    let n = row / params.height;
    let s = id.z * params.dy_stride + ((n * params.channels + c) * params.height + row - n * params.height)
      * params.width;
    for (var j = 0u; j < params.width; j++) { sum += dy[s + j]; }
  }
  part[id.z * params.part_stride + p * params.length + params.start + c] = sum;
}
