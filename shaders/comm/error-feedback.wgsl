// PowerSGD's error feedback on a flat bucket (powerSGD_hook.py: input_tensor.add_(error), and later error =
// input_tensor_cp - input_tensor). OUT = 0: bucket += error, and error keeps that sum, the copy; OUT = 1: error -=
// bucket, which is what the compression lost. One invocation per element.

override OUT: u32 = 0u;

struct Params {
  count: u32,
  error_stride: u32,
  bucket_stride: u32,
}

@group(0) @binding(0) var<storage, read_write> error: array<f32>;
@group(0) @binding(1) var<storage, read_write> bucket: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.count) { return; }
  let e = id.z * params.error_stride + i;
  let b = id.z * params.bucket_stride + i;
  if (OUT == 1u) {
    error[e] -= bucket[b];
  } else {
    let sum = bucket[b] + error[e];
    bucket[b] = sum;
    error[e] = sum;
  }
}
