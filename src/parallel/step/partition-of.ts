/**
 * Adapts the pass graph/partition to stage graphs: from a plan and the mesh, the cuts of each rank. Ranks with the same
 * index on the plan's axis have the same graph. Called by modes whose mesh cuts layers.
 */
import { at, must } from '../../base/invariant';
import type { Graph, GraphBuilder } from '../../graph/graph';
import type { ValueId } from '../../graph/op';
import { ALL_REDUCE } from '../../graph/ops/collective';
import { earlyCollectives } from '../../graph/partition/early-collectives';
import { partition } from '../../graph/partition/partition';
import { type Plan, placementOf } from '../../graph/partition/plan';
import type { RankOnAxis } from '../../graph/partition/rule';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { pieceOf } from '../../sharding/piece';
import { PARTIAL, type Placement } from '../../sharding/placement';
import type { Shape } from '../../tensor/shape';
import type { CutGraph, PartitionOf } from '../partition-pass';

export const partitionOf =
  (plan: Plan, mesh: DeviceMesh): PartitionOf =>
  (rank) => {
    const place = { index: mesh.coordinate(rank)[plan.axis], count: mesh.shape[plan.axis] };
    return {
      part: `${plan.axis} ${place.index}`,
      cut: (whole, builder, handedOn) => cut(whole, builder, { plan, rank: place, handedOn }),
      ordered: earlyCollectives,
    };
  };

interface CutBy {
  readonly plan: Plan;
  readonly rank: RankOnAxis;
  readonly handedOn: ValueId | undefined;
}

function cut(whole: Graph, builder: GraphBuilder, { plan, rank, handedOn }: CutBy): CutGraph {
  // The gradient of a stage's input may be requested.
  const wrt = whole.values.flatMap(({ id, role, type }) => (role === 'input' && type.dtype === 'f32' ? [id] : []));
  const made = partition(whole, builder, { plan, rank, wrt, wholeOutput: handedOn });
  const regionOf = (shape: Shape, placement: Placement) => ({ shape, piece: pieceOf(shape, [{ placement, ...rank }]) });
  return {
    own: made.own,
    nodesOf: ({ start, end }) => ({ start: made.nodesFor(start), end: made.nodesFor(end) }),
    cutAlong: (id) => {
      const { name } = must(whole.values[id], 'value');
      return placementOf(plan, name).kind === 'shard' ? [plan.axis] : [];
    },
    sumAlong: (id) => (made.partialGradients.has(must(whole.values[id], 'value').name) ? [plan.axis] : []),
    regionOf(mask) {
      const { type } = must(
        whole.values.find(({ name }) => name === mask),
        mask,
      );
      const placement = must(made.placements.get(mask), mask);
      return regionOf(type.shape, placement);
    },
    regionsIn({ nodes, values }) {
      const regions = new Map([...made.parts].map(([name, part]) => [name, regionOf(part.shape, part.placement)]));
      // Sums of the backward pass.
      for (const { op, attrs, inputs } of nodes) {
        if (op !== ALL_REDUCE || attrs.reduceOp === 'max') continue;
        const { name, type } = at(values, at(inputs, 0));
        if (!regions.has(name)) regions.set(name, regionOf(type.shape, PARTIAL));
      }
      return regions;
    },
  };
}
