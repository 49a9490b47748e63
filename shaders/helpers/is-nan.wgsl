// Whether a number is NaN, by its bits: compilers may take v != v for false.

fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }
