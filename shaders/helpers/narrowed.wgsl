// Four values of bfloat16 in two words: the first of each pair in the low bits.
fn narrowed(value: vec4f) -> vec2i {
  let bits = bitcast<vec4u>(value);
  return bitcast<vec2i>((bits.xz >> vec2u(16u)) | bits.yw);
}
