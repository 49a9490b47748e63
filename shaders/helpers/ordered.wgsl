// Bits of a float as an integer with the same order.

fn ordered(bits: i32) -> i32 { return bits ^ ((bits >> 31u) & 0x7fffffff); }
