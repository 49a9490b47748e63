/**
 * Divides the requested micro-batches of a run into groups that one Program runs. A request may begin or end in the
 * middle of a step; micro-batches of a partial step run one by one. Called for both worlds of a training.
 */
import type { StepBatch } from '../data/batch-source';

export function inPrograms(
  batches: readonly StepBatch[],
  togetherAt: (microBatch: number) => number,
): readonly (readonly StepBatch[])[] {
  const groups: (readonly StepBatch[])[] = [];
  for (let next = 0; next < batches.length; ) {
    const wanted = togetherAt(batches[next]?.microBatch ?? 0);
    const count = next + wanted <= batches.length ? wanted : 1;
    groups.push(batches.slice(next, next + count));
    next += count;
  }
  return groups;
}
