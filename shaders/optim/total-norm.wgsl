// total[w] = sum of sums[w * share .. (w + 1) * share), cut at count;   ROOT: its P-th root;   P = 0: the greatest of
// them, without a root
//
// Second part of torch.nn.utils.clip_grad_norm_. Workgroup x takes one share; each of its 256 invocations adds the
// elements of its stride in runs of 32 (a run is summed on its own, so that a long sum loses no more bits than a short
// one), then the first adds the 256 results in order, or, with TREE (on GPUs with fast workgroup memory), all of them
// add the upper half to the lower half until one result is left. The order depends on nothing but count, share and
// TREE: the same bits on every run.

override ROOT: bool = false;
override TREE: bool = false;
// norm_type; 0 is PyTorch's inf.
override P: f32 = 2.0;

struct Params {
  count: u32,
  share: u32,
  sums_stride: u32,
  total_stride: u32,
}

@group(0) @binding(0) var<storage, read> sums: array<f32>;
@group(0) @binding(1) var<storage, read_write> total: array<f32>;
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

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let begin = group.x * params.share;
  let end = min(begin + params.share, params.count);
  let offset = group.z * params.sums_stride;
  var own = 0.0;
  for (var run = begin + lane; run < end; run += 32u * 256u) {
    var part = 0.0;
    for (var i = run; i < min(run + 32u * 256u, end); i += 256u) {
      part = joined(part, sums[offset + i]);
    }
    own = joined(own, part);
  }
  parts[lane] = own;
  if (TREE) {
    for (var half = 128u; half > 0u; half /= 2u) {
      workgroupBarrier();
      if (lane < half) {
        parts[lane] = joined(parts[lane], parts[lane + half]);
      }
    }
  }
  workgroupBarrier();
  if (lane > 0u) {
    return;
  }
  var all = 0.0;
  for (var i = 0u; i < select(min(256u, end - begin), 1u, TREE); i++) {
    all = joined(all, parts[i]);
  }
  total[group.z * params.total_stride + group.x] = select(all, root(all), ROOT);
}
