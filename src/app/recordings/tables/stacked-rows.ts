/** Distributes stretches, in order of start, over as few rows as possible so that none overlap. Pure. */
import type { Interval } from '../../../trace/intervals';

export function stackedRows<T extends Interval>(list: readonly T[]): readonly (readonly T[])[] {
  const rows: T[][] = [];
  for (const one of [...list].sort((a, b) => a.startUs - b.startUs)) {
    const free = rows.find((row) => (row.at(-1)?.endUs ?? Number.NEGATIVE_INFINITY) <= one.startUs + 1e-6);
    if (free) free.push(one);
    else rows.push([one]);
  }
  return rows;
}
