// Four received elements joined to the own ones. Needs helpers/joined.

fn joined4(own: vec4<i32>, received: vec4<i32>) -> vec4<i32> {
  if (JOIN == 1u) { return bitcast<vec4<i32>>(bitcast<vec4f>(own) + bitcast<vec4f>(received)); }
  return vec4<i32>(joined(own.x, received.x), joined(own.y, received.y), joined(own.z, received.z),
    joined(own.w, received.w));
}
