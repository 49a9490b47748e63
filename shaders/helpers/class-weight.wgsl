// The weight of a class, 1 without weights.

fn weight(c: u32, instance: u32) -> f32 {
  if (WEIGHTED == 0u) { return 1.0; }
  return weights[instance * params.weights_stride + c];
}
