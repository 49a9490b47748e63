/**
 * The interface of the pass that cuts the graph of a stage for one rank, between forward and backward. stage-graph.ts
 * calls it; step/partition-of.ts implements it with graph/partition.
 */
import type { Graph, GraphBuilder } from '../graph/graph';
import type { ValueId } from '../graph/op';
import type { Segment } from '../graph/passes/checkpoint';
import type { Axis } from '../protocol/mesh';
import type { Rank } from '../protocol/trace';
import type { TensorRegion } from '../sharding/piece';

/**
 * A pass between forward and backward for meshes that cut tensors: rewrites the graph for one rank's parts of the
 * tensors.
 */
export interface Partition {
  /** Ranks with the same text have the same graph. */
  readonly part: string;
  /** `handedOn`: the value that the next stage needs whole, if any. */
  cut(whole: Graph, builder: GraphBuilder, handedOn: ValueId | undefined): CutGraph;
  /** The rank's step in the order of computation. */
  ordered(graph: Graph): Graph;
}

/** The cut graph, addressed by the values of the whole graph. */
export interface CutGraph {
  /** The rank's part of the value. */
  own(value: ValueId): ValueId;
  /** The rank's nodes for a segment of the whole graph. */
  nodesOf(segment: Segment): Segment;
  /** The axes of the mesh along which every rank has a different piece of the parameter. */
  cutAlong(value: ValueId): readonly Axis[];
  /** The axes along which the ranks' gradients of the parameter are addends; the optimiser sums them. */
  sumAlong(value: ValueId): readonly Axis[];
  /** The rank's piece of the dropout mask with this name. */
  regionOf(mask: string): TensorRegion | undefined;
  /** The rank's values that are a piece or an addend of a whole tensor, by name. */
  regionsIn(finished: Graph): ReadonlyMap<string, TensorRegion>;
}

export type PartitionOf = (rank: Rank) => Partition;

/** Without a pass: every value is its own part. */
export const WHOLE: CutGraph = {
  own: (value) => value,
  nodesOf: (segment) => segment,
  cutAlong: () => [],
  sumAlong: () => [],
  regionOf: () => undefined,
  regionsIn: () => new Map(),
};
