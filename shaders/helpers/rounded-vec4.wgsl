// To the nearest value of bfloat16, ties to even; a NaN stays one.
fn rounded4(value: vec4f) -> vec4f {
  let bits = bitcast<vec4u>(value);
  let rounded = (bits + 0x7fffu + ((bits >> vec4u(16u)) & vec4u(1u))) & vec4u(0xffff0000u);
  let isNan = (bits & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
  return bitcast<vec4f>(select(rounded, (bits & vec4u(0x80000000u)) | vec4u(0x7fc00000u), isNan));
}
