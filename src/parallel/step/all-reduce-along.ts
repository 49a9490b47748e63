/**
 * All-reduces gradients on every line of an axis, side by side: the ranks of each line get the sum or mean of their
 * gradients. Called by syncs after the backward pass.
 */
import { at } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { AlgorithmName } from '../../protocol/collective';
import type { Axis } from '../../protocol/mesh';

export interface AllReduceAlong {
  readonly builder: ProgramBuilder;
  readonly algorithm: AlgorithmName;
  readonly axis: Axis;
  /** All lanes that hold the stage. */
  readonly lanes: readonly LaneBuilder[];
  /** Names of the buffers, the same on every lane. */
  readonly gradients: readonly string[];
  readonly reduceOp: 'sum' | 'avg';
  readonly where: Where;
}

export function allReduceAlong({ builder, axis, lanes, gradients, where, ...how }: AllReduceAlong): void {
  if (gradients.length === 0) return;
  const comm: Where = { ...where, queue: 'comm' };
  for (const group of new Set(lanes.map(({ rank }) => builder.mesh.group(axis, rank)))) {
    const members = builder.lanesOf(group);
    for (const lane of members) lane.handOver('compute', 'comm', comm);
    for (const input of gradients)
      algorithmFor(how.algorithm, 'allReduce').emit({
        builder,
        op: 'allReduce',
        group,
        input,
        length: at(members, 0).whole(input).length,
        reduceOp: how.reduceOp,
        payload: 'gradient',
        where: comm,
      });
    for (const lane of members) lane.handOver('comm', 'compute', where);
  }
}
