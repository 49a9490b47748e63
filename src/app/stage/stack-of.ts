/**
 * The number of rooms in each column of the stage. If the mode's ranks form a grid, a column holds the ranks with the
 * same place on the mesh's outermost axis with several ranks; 1: the ranks form a line. Called by scene.ts and
 * first-picture.ts.
 */
import { lookup } from '../../base/lookup';
import { FACES } from '../../parallel/faces';
import type { Config } from '../../protocol/config';
import { meshSizes, ranksOf } from '../../protocol/mesh-sizes';

export function stackOf(config: Pick<Config, 'mode' | 'mesh' | 'worldSize'>): number {
  const axes = lookup(FACES, config.mode)?.axes ?? [];
  const shape = meshSizes(config);
  const several = axes.filter((axis) => shape[axis] > 1);
  // A single tensor group is a line.
  const outermost = axes[0] === 'pp' ? 'pp' : several.length > 1 ? several[0] : undefined;
  return outermost === undefined ? 1 : ranksOf({ ...shape, [outermost]: 1 });
}
