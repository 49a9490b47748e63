/**
 * FSDP's FlatParameter: several tensors concatenated into one vector, of which each rank has an equal run. Computes the
 * run of each tensor.
 */
import { type Flat, flat } from './placement';
import { chunkRange } from './range';

/** For each tensor size, the run that rank `index` of `count` has; length 0: nothing. */
export function flatPlacements(sizes: readonly number[], index: number, count: number): readonly Flat[] {
  const own = chunkRange(
    sizes.reduce((a, b) => a + b, 0),
    index,
    count,
  );
  let before = 0;
  return sizes.map((size) => {
    const start = Math.min(size, Math.max(0, own.start - before));
    const end = Math.min(size, Math.max(0, own.start + own.length - before));
    before += size;
    return flat(start, end - start);
  });
}
