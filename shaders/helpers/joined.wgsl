// A received element joined to the own one by override JOIN, as bits. Needs helpers/is-nan-bits and helpers/ordered.

fn joined(own: i32, received: i32) -> i32 {
  if ((JOIN == 3u || JOIN == 4u) && (is_nan(own) || is_nan(received))) { return 0x7fc00000; }
  switch (JOIN) {
    case 1u: { return bitcast<i32>(bitcast<f32>(own) + bitcast<f32>(received)); }
    case 2u: { return bitcast<i32>(bitcast<f32>(own) * bitcast<f32>(received)); }
    case 3u: { return select(own, received, ordered(received) < ordered(own)); }
    case 4u: { return select(received, own, ordered(received) < ordered(own)); }
    case 5u: { return own & received; }
    case 6u: { return own | received; }
    case 7u: { return own ^ received; }
    case 8u: { return own + received; }
    case 9u: { return own * received; }
    case 10u: { return min(own, received); }
    case 11u: { return max(own, received); }
    default: { return received; }
  }
}
