// lane_sum() with shuffles for the additions whose both numbers are in one subgroup; SUBGROUP is the least size of a
// subgroup on the device. Invocation i of a workgroup is invocation i % SUBGROUP of SUBGROUP neighbours in a subgroup,
// which runtime/webgpu/subgroups checks on the device. The same additions, so the same bits, at every size.
fn lane_sum(lane: u32, lanes: u32, step: u32, own: Sum) -> Sum {
  let kept = max(step, SUBGROUP);
  var sum = own;
  if (lanes > kept) {
    workgroupBarrier();
    sums[lane] = own;
    for (var half = lanes / 2u; half >= kept; half /= 2u) {
      workgroupBarrier();
      if (lane % lanes < half) { sums[lane] += sums[lane + half]; }
    }
    workgroupBarrier();
    sum = sums[lane - lane % lanes + lane % kept];
  }
  for (var half = min(lanes, SUBGROUP) / 2u; half >= step; half /= 2u) { sum += subgroupShuffleXor(sum, half); }
  return sum;
}
