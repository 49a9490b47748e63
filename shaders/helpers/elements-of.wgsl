// How many elements of a channel a part of norm/moments has.

fn elements_of(part: u32) -> f32 {
  let rows = (params.batch - part / params.lanes + params.slices - 1u) / params.slices;
  return f32(rows * params.width * ((params.plane - part % params.lanes + params.lanes - 1u) / params.lanes));
}
