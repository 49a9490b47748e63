// The sum over each `lanes` neighbouring invocations, or over every `step`-th one of them, for all of them. The upper
// half is added to the lower half until `step` sums are left: one order, which helpers/subgroups keeps. In uniform
// control flow; the kernel declares `sums` and what a Sum is.
fn lane_sum(lane: u32, lanes: u32, step: u32, own: Sum) -> Sum {
  workgroupBarrier();
  sums[lane] = own;
  for (var half = lanes / 2u; half >= step; half /= 2u) {
    workgroupBarrier();
    if (lane % lanes < half) { sums[lane] += sums[lane + half]; }
  }
  workgroupBarrier();
  return sums[lane - lane % lanes + lane % step];
}
