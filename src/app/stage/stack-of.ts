/**
 * How many rooms are in each column of the stage: the ranks that share a place on the outermost axis of the mesh that
 * has several ranks, where the mode's ranks are a grid; 1: they are a line. Called by scene.ts and first-picture.ts.
 */
import { lookup } from '../../base/lookup';
import { FACES } from '../../parallel/faces';
import type { Config } from '../../protocol/config';
import { meshSizes, ranksOf } from '../../protocol/mesh-sizes';

export function stackOf(config: Pick<Config, 'mode' | 'mesh' | 'worldSize'>): number {
  const axes = lookup(FACES, config.mode)?.axes ?? [];
  const shape = meshSizes(config);
  const several = axes.filter((axis) => shape[axis] > 1);
  // One tensor group by itself is a line.
  const outermost = axes[0] === 'pp' ? 'pp' : several.length > 1 ? several[0] : undefined;
  return outermost === undefined ? 1 : ranksOf({ ...shape, [outermost]: 1 });
}
