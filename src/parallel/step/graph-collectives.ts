/**
 * The collectives inside a rank's graph (SyncBatchNorm's) as transfers: the compute queue hands over to the
 * communication queue and waits for the result, behind whatever buckets are under way there, as ranks do that share one
 * process group. Called by walk.ts for every such node.
 */
import { at } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import type { GraphNode } from '../../graph/graph';
import { ALL_REDUCE } from '../../graph/ops/collective';
import type { ProgramBuilder } from '../../program/builder';
import type { Where } from '../../program/lane-builder';
import type { AlgorithmName } from '../../protocol/collective';
import type { Group } from '../../protocol/mesh';
import { elements } from '../../tensor/shape';

export interface GraphCollective {
  readonly builder: ProgramBuilder;
  readonly algorithm: AlgorithmName;
  /** Ranks that run the node. */
  readonly group: Group;
  readonly node: GraphNode;
  /** Buffers, of the same name on every device. */
  readonly input: string;
  readonly output: string;
}

export function emitCollective({ builder, algorithm, group, node, input, output }: GraphCollective): void {
  const where: Where = { phase: node.phase, anchor: node.phase, module: node.module };
  const comm: Where = { ...where, queue: 'comm' };
  const lanes = builder.lanesOf(group);
  const reduces = node.op === ALL_REDUCE;
  const length = elements(at(lanes, 0).spec(input).shape);
  for (const lane of lanes) {
    // An all-reduce works in place.
    if (reduces) lane.compute('ops/copy', [input], [output], { from: 0, to: 0, length }, where);
    lane.handOver('compute', 'comm', comm);
  }
  const op = reduces ? 'allReduce' : 'allGather';
  algorithmFor(algorithm, op).emit({
    builder,
    op,
    group,
    input: reduces ? output : input,
    ...(reduces ? {} : { output }),
    length,
    payload: reduces ? 'gradient' : 'activation',
    where: comm,
  });
  for (const lane of lanes) lane.handOver('comm', 'compute', where);
}
