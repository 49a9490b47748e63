/** What the pass partition.ts takes, and what it gives: the rank's values, and what they are of the whole graph. */
import type { Placement } from '../../sharding/placement';
import type { Shape } from '../../tensor/shape';
import type { ValueId } from '../op';
import type { Plan } from './plan';
import type { RankOnAxis } from './rule';

export interface PartitionOptions {
  readonly plan: Plan;
  readonly rank: RankOnAxis;
  /** Values of the whole graph, beside parameters, of which somebody asks the gradient. */
  readonly wrt?: readonly ValueId[];
  /** A value of the whole graph that every rank hands on whole, as what a pipeline stage sends. */
  readonly wholeOutput?: ValueId | undefined;
}

export interface Partitioned {
  /** Of a value of the whole graph, the rank's. */
  readonly own: (value: ValueId) => ValueId;
  /** How many nodes the rank has for the first `count` nodes of the whole graph. */
  readonly nodesFor: (count: number) => number;
  /** Of values of the whole graph, by name; without the statistics that a node keeps for its gradient. */
  readonly placements: ReadonlyMap<string, Placement>;
  /** Of the rank's values, by their names: those that are a piece or an addend of a whole tensor. */
  readonly parts: ReadonlyMap<string, PartOfWhole>;
  /** Parameters whose gradient is an addend on every rank, as that of a layer norm of cut rows. */
  readonly partialGradients: ReadonlySet<string>;
  /** Tensors that were cut and are gathered for an operator, though the plan did not ask for it. */
  readonly gathered: readonly Gathered[];
}

export interface Gathered {
  readonly module: string;
  readonly op: string;
  readonly value: string;
  readonly placement: Placement;
}

/** Of a whole tensor of this shape. */
export interface PartOfWhole {
  readonly shape: Shape;
  readonly placement: Placement;
}
