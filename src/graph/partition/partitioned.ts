/** The input and the result of the pass partition.ts: the rank's values, and how they relate to the whole graph. */
import type { Placement } from '../../sharding/placement';
import type { Shape } from '../../tensor/shape';
import type { ValueId } from '../op';
import type { Plan } from './plan';
import type { RankOnAxis } from './rule';

export interface PartitionOptions {
  readonly plan: Plan;
  readonly rank: RankOnAxis;
  /** Values of the whole graph, beside parameters, whose gradients are requested. */
  readonly wrt?: readonly ValueId[];
  /** A value of the whole graph that every rank must have whole, such as the output of a pipeline stage. */
  readonly wholeOutput?: ValueId | undefined;
}

export interface Partitioned {
  /** The rank's value for a value of the whole graph. */
  readonly own: (value: ValueId) => ValueId;
  /** The number of the rank's nodes for the first `count` nodes of the whole graph. */
  readonly nodesFor: (count: number) => number;
  /** Placements of the whole graph's values, by name; without the statistics that a node keeps for its gradient. */
  readonly placements: ReadonlyMap<string, Placement>;
  /** The rank's values that are a piece or an addend of a whole tensor, by name. */
  readonly parts: ReadonlyMap<string, PartOfWhole>;
  /** Parameters whose gradient is an addend on every rank, such as a layer norm's under sequence parallelism. */
  readonly partialGradients: ReadonlySet<string>;
  /** Cut tensors that are gathered for an operator although the plan did not ask for it. */
  readonly gathered: readonly Unasked[];
  /** Whole activations of which a sum takes a part, because the other addend is a part; not asked for, either. */
  readonly cutToFit: readonly Unasked[];
  /** Whole activations of which a module takes in a part, because its style says so. */
  readonly takenAsParts: readonly Unasked[];
}

/** A tensor that an operator needs in another placement than the plan gives it. */
export interface Unasked {
  readonly module: string;
  readonly op: string;
  readonly value: string;
  readonly placement: Placement;
}

/** A part of a whole tensor with this shape. */
export interface PartOfWhole {
  readonly shape: Shape;
  readonly placement: Placement;
}
