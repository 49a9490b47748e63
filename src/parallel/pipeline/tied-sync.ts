/**
 * The gradient of a weight that several stages share: the sum over the ranks that have these stages, then the mean over
 * the replicas. It overlaps with nothing, because it needs the last backward pass of all these stages. Called by
 * compile.ts.
 */
import { at } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { Group } from '../../protocol/mesh';
import type { Sync } from '../step/sync';
import type { Step } from '../step/walk';
import type { Tie } from './ties';

const TIED: Where = { phase: 'reduce', anchor: 'tied_weights' };

type Places = Pick<Step, 'builder' | 'stages'>;

export const tiedSync = (places: Places, ties: readonly Tie[]): Sync => ({
  finish(parameters) {
    const gradientOf = new Map(parameters.flat().map((p) => [p.name, p.gradient]));
    for (const tie of ties) {
      const gradient = gradientOf.get(tie.name);
      if (gradient !== undefined) reduceTied(places, tie, gradient);
    }
  },
});

function reduceTied({ builder, stages }: Places, tie: Tie, gradient: string): void {
  // Stages on one rank have the same lanes.
  const places = [...new Map(tie.stages.map((stage) => at(stages, stage)).map((p) => [p.lanes[0], p])).values()];
  const reduce = (lanes: readonly LaneBuilder[], group: Group, reduceOp: 'sum' | 'avg') => {
    const comm: Where = { ...TIED, queue: 'comm' };
    for (const lane of lanes) lane.handOver('compute', 'comm', comm);
    const { length } = at(lanes, 0).whole(gradient);
    const call = { builder, op: 'allReduce' as const, group, input: gradient, length, reduceOp };
    algorithmFor('naive', 'allReduce').emit({ ...call, payload: 'gradient', where: comm });
    for (const lane of lanes) lane.handOver('comm', 'compute', TIED);
  };
  if (places.length > 1)
    for (const k of at(places, 0).lanes.keys()) {
      const lanes = places.map((place) => at(place.lanes, k)).sort((a, b) => a.rank - b.rank);
      const ranks = lanes.map(({ rank }) => rank);
      reduce(lanes, builder.mesh.newGroup(ranks, { purpose: 'tied' }), 'sum');
    }
  for (const { replicaGroups } of places)
    for (const group of replicaGroups) if (group.ranks.length > 1) reduce(builder.lanesOf(group), group, 'avg');
}
