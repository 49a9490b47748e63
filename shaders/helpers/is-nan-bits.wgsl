// Whether bits that travel as an integer are those of a NaN.

fn is_nan(bits: i32) -> bool { return (bits & 0x7fffffff) > 0x7f800000; }
