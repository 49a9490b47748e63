// norms[place] = the P-th root of the sum of source[begin .. begin + count), rounded to bfloat16;   NORMS: of the sum
// of their P-th powers;   P = 0: the greatest of them
//
// The norm of one gradient in bfloat16, from the sums of optim/power-sums, and then the norm of all norms: torch's
// clip_grad_norm_ rounds both to bfloat16. One workgroup: each of its 256 invocations adds every 256th element in runs
// of 32, then the first adds the 256 results in order.

override NORMS: bool = false;
// norm_type; 0 is PyTorch's inf.
override P: f32 = 2.0;

struct Params {
  begin: u32,
  count: u32,
  place: u32,
  source_stride: u32,
  norms_stride: u32,
}

@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> norms: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

var<workgroup> parts: array<f32, 256>;

fn joined(a: f32, b: f32) -> f32 {
  if (P == 0.0) {
    // As whole numbers: sizes have the same order, and a NaN is above them all.
    return bitcast<f32>(max(bitcast<u32>(a), bitcast<u32>(b)));
  }
  return a + b;
}

fn root(sum: f32) -> f32 {
  if (P == 2.0) {
    return sqrt(sum);
  }
  if (P == 0.0 || P == 1.0) {
    return sum;
  }
  // Not every driver's pow() leaves 0, infinity and NaN as they are; the least norm_type keeps the quotient finite
  // where P is 0.
  let fixed = sum == 0.0 || bitcast<u32>(sum) >= 0x7f800000u;
  return select(pow(sum, 1.0 / max(P, 0.5)), sum, fixed);
}

fn power(norm: f32) -> f32 {
  if (P == 2.0) {
    return norm * norm;
  }
  if (P == 0.0 || P == 1.0) {
    return norm;
  }
  return select(pow(norm, P), norm, norm == 0.0 || bitcast<u32>(norm) >= 0x7f800000u);
}

fn element(i: u32) -> f32 {
  if (NORMS) {
    return power(source[i]);
  }
  return source[i];
}

fn nearest(value: f32) -> f32 { // of bfloat16, ties to even; a NaN stays one
  let bits = bitcast<u32>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) { return bitcast<f32>((bits & 0x80000000u) | 0x7fc00000u); }
  return bitcast<f32>((bits + 0x7fffu + ((bits >> 16u) & 1u)) & 0xffff0000u);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let offset = group.z * params.source_stride + params.begin;
  var own = 0.0;
  for (var run = lane; run < params.count; run += 32u * 256u) {
    var part = 0.0;
    for (var i = run; i < min(run + 32u * 256u, params.count); i += 256u) {
      part = joined(part, element(offset + i));
    }
    own = joined(own, part);
  }
  parts[lane] = own;
  workgroupBarrier();
  if (lane > 0u) {
    return;
  }
  var all = 0.0;
  for (var i = 0u; i < min(256u, params.count); i++) {
    all = joined(all, parts[i]);
  }
  norms[group.z * params.norms_stride + params.place] = nearest(root(all));
}
