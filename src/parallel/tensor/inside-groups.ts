/**
 * What ranks send that share the layers of one graph: of every collective in it what its algorithm sends, which follows
 * from the shapes; and once per step the gradients that are addends on them. Called by the closed forms of the modes
 * tensor and pipeline.
 */
import { at, must } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { AlgorithmName, CollectiveOp } from '../../protocol/collective';
import type { Axis } from '../../protocol/mesh';
import type { DeviceIndex } from '../../protocol/trace';
import { tensorBytes } from '../../tensor/shape';
import type { StageGraph } from '../stage-graph';
import { collectiveOf } from '../step/graph-collectives';

export interface RankOfGroup {
  readonly mesh: DeviceMesh;
  readonly algorithm: AlgorithmName;
  readonly device: DeviceIndex;
}

export interface SentInside {
  readonly bytes: number;
  readonly collectives: number;
}

/** In a forward and backward pass. */
export function sentInside({ graph }: StageGraph, rank: RankOfGroup): SentInside {
  const sent = graph.nodes.flatMap((node) => {
    const op = collectiveOf(node);
    return op === undefined ? [] : [sentBy(rank, op, tensorBytes(at(graph.values, at(node.inputs, 0)).type), 'tp')];
  });
  return { bytes: sent.reduce((a, b) => a + b, 0), collectives: sent.length };
}

/** Of gradients that are torch's Partial: their all-reduces before the optimiser. */
export function sentForPartials({ graph, parameters }: StageGraph, rank: RankOfGroup): number {
  const types = new Map(graph.values.map(({ name, type }) => [name, type]));
  return parameters
    .flatMap(({ fresh, sumAlong = [] }) =>
      sumAlong.map((axis) => sentBy(rank, 'allReduce', tensorBytes(must(types.get(fresh), fresh)), axis)),
    )
    .reduce((a, b) => a + b, 0);
}

function sentBy({ mesh, algorithm, device }: RankOfGroup, op: CollectiveOp, bytes: number, axis: Axis): number {
  const rank = at(mesh.rankOfDevice, device);
  const { ranks } = mesh.group(axis, rank);
  const { bytesSent } = algorithmFor(algorithm, op).cost({ op, worldSize: ranks.length, bytes });
  return at(bytesSent, ranks.indexOf(rank));
}
