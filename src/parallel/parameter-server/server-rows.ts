/** Which rows of the batch each device works on: the server on none, the workers on torch.chunk's parts. */
import { chunkSizes } from '../../data/chunk-sizes';
import type { Config } from '../../protocol/config';
import type { RowSlice } from '../facets/mode-placement';

export function serverRows(
  { worldSize }: Pick<Config, 'worldSize'>,
  [rows = 0]: readonly number[],
): readonly RowSlice[] {
  if (worldSize === 1) return [[0, rows]];
  const sizes = chunkSizes(rows, worldSize - 1);
  let start = 0;
  return Array.from({ length: worldSize }, (_, device) => {
    const count = device === 0 ? 0 : (sizes[device - 1] ?? 0);
    const slice = [start, count] as const;
    start += count;
    return slice;
  });
}
