// Where a row of a begins; past the last row the last one is read again.

fn row_start(row: u32, instance: u32) -> u32 {
  return instance * params.a_stride + min(row, params.m - 1u) * params.a_row;
}
