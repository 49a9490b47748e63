// y[i] = sum over p of part[p * length + start + i], in order: the second half of the sums over a batch that
// conv/conv2d-grad-params and conv/channel-sums begin (gradients of torch.nn.functional.conv2d). `part` is only read;
// it is declared writable because both tensors may lie in one buffer. One invocation computes one element of y.
struct Params {
  n: u32,
  parts: u32,
  length: u32,
  start: u32,
  part_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read_write> part: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  var s = id.z * params.part_stride + params.start + i;
  var sum = 0.0;
  for (var p = 0u; p < params.parts; p++) {
    sum += part[s];
    s += params.length;
  }
  y[id.z * params.y_stride + i] = sum;
}
