// A number of bits less, rounded to nearest even.

fn shifted(value: u32, shift: u32) -> u32 { // value / 2^shift, to nearest even
  let whole = value >> shift;
  let rest = value - (whole << shift);
  let middle = 1u << (shift - 1u);
  return whole + select(0u, 1u, rest > middle || (rest == middle && (whole & 1u) == 1u));
}
