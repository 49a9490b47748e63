/** Which rows of the batch each device works on: torch.chunk's, in order. */
import { chunkSizes } from '../../data/chunk-sizes';
import type { Config } from '../../protocol/config';
import type { RowSlice } from '../facets/mode-placement';

export function chunkRows(
  { worldSize }: Pick<Config, 'worldSize'>,
  [rows = 0]: readonly number[],
): readonly RowSlice[] {
  const sizes = chunkSizes(rows, worldSize);
  let start = 0;
  return Array.from({ length: worldSize }, (_, d) => {
    const count = sizes[d] ?? 0;
    const slice = [start, count] as const;
    start += count;
    return slice;
  });
}
