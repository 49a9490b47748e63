// What a product applies to its result: 0 nothing, 1 relu, 2 tanh, 3 sigmoid (override ACTIVATION); NaN passes.
// Needs helpers/tanh-accurate.

fn activate(v: f32) -> f32 {
  if (ACTIVATION == 0u || (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u) { return v; } // NaN passes
  if (ACTIVATION == 1u) { return max(v, 0.0); }
  if (ACTIVATION == 2u) { return tanh_accurate(v); }
  return 1.0 / (1.0 + exp(-v));
}
