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
  return outermost === undefined || inner.length === 0 ? 1 : ranksOf({ ...meshSizes(config), [outermost]: 1 });
}
