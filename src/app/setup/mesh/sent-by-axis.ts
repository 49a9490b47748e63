/** The bytes that all ranks send in a step along each axis of the mesh. Called by the picture of the mesh. Pure. */
import { AXES, type Axis } from '../../../protocol/mesh';
import type { MeshShape } from '../../../protocol/mesh-sizes';
import type { StepTrace } from '../../../protocol/trace';

/**
 * Messages of a schedule count for the pipeline's axis. Collectives of all ranks name no axis: they count for the only
 * axis with several ranks, if there is only one.
 */
export function sentByAxis({ events }: StepTrace, shape: MeshShape): Readonly<Record<Axis, number>> {
  const sent = { pp: 0, dpReplicate: 0, dpShard: 0, cp: 0, tp: 0 };
  const long = AXES.filter((axis) => shape[axis] > 1);
  const only = long.length === 1 ? long[0] : undefined;
  for (const { kind, collective, action, bytes } of events) {
    if (kind !== 'send') continue;
    const axis = collective ? (collective.group ? collective.group.axis : only) : action && 'pp';
    if (axis) sent[axis] += bytes;
  }
  return sent;
}
