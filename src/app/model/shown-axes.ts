/** Which axes of a mode its page speaks of. Called by the mesh panel and by links. */
import type { Axis } from '../../protocol/mesh';
import { type MeshSettings, meshSizes, openAxis } from '../../protocol/mesh-sizes';

/** Of the axes of a mode, those that a picture of its mesh shows: tp and dpShard only where they do something. */
export function shownAxes(axes: readonly Axis[], config: MeshSettings): readonly Axis[] {
  const shape = meshSizes(config);
  const isRare = (axis: Axis): boolean => axis === 'tp' || axis === 'dpShard';
  return axes.filter((axis) => shape[axis] > 1 || !isRare(axis) || axis === openAxis(config.mode));
}
