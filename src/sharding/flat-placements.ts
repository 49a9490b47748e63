/**
 * FlatParameter of FSDP: several tensors one behind the other as one vector, of which each rank has an equal run. Which
 * run of each tensor that makes.
 */
import { type Flat, flat } from './placement';
import { chunkRange } from './range';

/** For each tensor, by its number of elements, what rank `index` of `count` has of it; a length of 0: nothing. */
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
