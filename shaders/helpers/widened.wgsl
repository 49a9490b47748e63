// The four values of bfloat16 that two words hold.
fn widened(words: vec2i) -> vec4f {
  let bits = bitcast<vec4u>(words.xxyy);
  return bitcast<vec4f>(select(bits << vec4u(16u), bits & vec4u(0xffff0000u), vec4(false, true, false, true)));
}
