/**
 * How many rooms are in each column of the stage: the ranks that share a place on the outermost axis of the mesh, where
 * the mode's ranks are a grid; 1: they are a line. Called by scene.ts and first-picture.ts.
 */
import { lookup } from '../../base/lookup';
import { FACES } from '../../parallel/faces';
import type { Config } from '../../protocol/config';
import { meshSizes, ranksOf } from '../../protocol/mesh-sizes';

export function stackOf(config: Pick<Config, 'mode' | 'mesh' | 'worldSize'>): number {
  const [outermost, ...inner] = lookup(FACES, config.mode)?.axes ?? [];
  const shape = meshSizes(config);
  // One tensor group by itself is a line.
  if (outermost === undefined || inner.length === 0 || (outermost !== 'pp' && shape[outermost] === 1)) return 1;
  return ranksOf({ ...shape, [outermost]: 1 });
}
