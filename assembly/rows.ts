/** Rows of a table by their indices, and sums of rows: embeddings and their gradients. */
import { FLOAT, FLOATS, VECTOR } from './lanes';

/**
 * to[j] = table[index[j] - first] for rows of `width` floats. An index outside of the table's n rows gives zeros if the
 * table is `part` of a larger one; otherwise it ends the loop. Returns how many rows were picked.
 */
export function pickRows(
  table: usize, n: i32, width: i32, index: usize, picks: i32, to: usize, first: i32, part: bool,
): i32 {
  const row = <usize>width * FLOAT;
  for (let j = 0; j < picks; j++) {
    const k = load<i32>(index + <usize>j * FLOAT) - first;
    if (<u32>k < <u32>n) memory.copy(to, table + <usize>k * row, row);
    else if (part) memory.fill(to, 0, row);
    else return j;
    to += row;
  }
  return picks;
}

/**
 * to[index[j] - first] += from[j] for rows of `width` floats, one after the other; indices outside of the n rows, and
 * those of row `skip`, add nothing.
 */
export function addRows(
  from: usize, index: usize, picks: i32, to: usize, n: i32, width: i32, skip: i32, first: i32,
): void {
  const row = <usize>width * FLOAT;
  for (let j = 0; j < picks; j++) {
    const k = load<i32>(index + <usize>j * FLOAT) - first;
    if (k == skip || <u32>k >= <u32>n) continue;
    let x = from + <usize>j * row;
    let y = to + <usize>k * row;
    let i = 0;
    for (; i + FLOATS <= width; i += FLOATS) {
      v128.store(y, f32x4.add(v128.load(y), v128.load(x)));
      x += VECTOR;
      y += VECTOR;
    }
    for (; i < width; i++) {
      store<f32>(y, load<f32>(y) + load<f32>(x));
      x += FLOAT;
      y += FLOAT;
    }
  }
}
