/**
 * Copies the rows with given ids from a table, in order: batches for Load instructions, and rows that snapshots
 * evaluate.
 */
import { LockstepError } from '../base/errors';
import type { HostArray } from '../tensor/shape';

/** Rows of at least this width are copied as a block; for narrower rows, copying elements is faster. */
const BLOCK = 32;

/** `target[i] = source[rows[i]]` for rows of `width` elements; the target holds exactly the given rows. */
export function gatherRows(source: HostArray, width: number, rows: Int32Array, target: HostArray): void {
  if (target.length !== rows.length * width)
    throw new LockstepError('data', `${rows.length} rows of ${width} elements do not fill ${target.length} elements.`);
  if (width >= BLOCK) {
    for (let i = 0; i < rows.length; i++) {
      const from = (rows[i] as number) * width;
      target.set(source.subarray(from, from + width), i * width);
    }
    return;
  }
  let to = 0;
  for (const row of rows) {
    const from = row * width;
    for (let i = 0; i < width; i++) target[to++] = source[from + i] as number;
  }
}
