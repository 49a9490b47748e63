/**
 * Copies rows of a table, named by id, one after the other: batches for Load instructions, and the rows that snapshots
 * evaluate.
 */
import { LockstepError } from '../base/errors';
import type { HostArray } from '../tensor/shape';

/** From this width on a row is copied as a block; below, that costs more than its elements. */
const BLOCK = 32;

/** `target[i] = source[rows[i]]` for rows of `width` elements; the target holds exactly the rows that are named. */
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
