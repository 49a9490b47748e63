// One value, as rounded4 does four.
fn rounded1(value: f32) -> f32 { return rounded4(vec4f(value)).x; }
