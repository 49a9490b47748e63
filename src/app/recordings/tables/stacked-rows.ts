/** Stretches on as few rows as they need so that none overlap, in order of start. Pure. */
import type { Interval } from '../../../trace/idle';

export function stackedRows<T extends Interval>(list: readonly T[]): readonly (readonly T[])[] {
  const rows: T[][] = [];
  for (const one of [...list].sort((a, b) => a.startUs - b.startUs)) {
    const free = rows.find((row) => (row.at(-1)?.endUs ?? Number.NEGATIVE_INFINITY) <= one.startUs + 1e-6);
    if (free) free.push(one);
    else rows.push([one]);
  }
  return rows;
}
