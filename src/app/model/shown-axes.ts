/** The axes of a mode that the page mentions. Called by the mesh panel and by links. */
import type { Axis } from '../../protocol/mesh';
import { type MeshSettings, meshSizes, openAxis } from '../../protocol/mesh-sizes';

/** The axes of a mode that a picture of its mesh shows: tp and dpShard only if they have an effect. */
export function shownAxes(axes: readonly Axis[], config: MeshSettings): readonly Axis[] {
  const shape = meshSizes(config);
  const isRare = (axis: Axis): boolean => axis === 'tp' || axis === 'dpShard';
  return axes.filter((axis) => shape[axis] > 1 || !isRare(axis) || axis === openAxis(config.mode));
}
