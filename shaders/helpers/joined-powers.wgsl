// Two sums of powers, or for the norm of order 0 (override P) the larger of two sizes.

fn joined(a: f32, b: f32) -> f32 {
  if (P == 0.0) {
    // As whole numbers: sizes have the same order, and a NaN is above them all.
    return bitcast<f32>(max(bitcast<u32>(a), bitcast<u32>(b)));
  }
  return a + b;
}
