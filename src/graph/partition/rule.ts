/**
 * The form of a placement rule: given the placements of its inputs, the placements that an operator can work with, and
 * the resulting placements of its outputs. A rule moves nothing; partition.ts redistributes the inputs as the rule
 * needs them. If an input is whole and an output is not, every rank uses the input for a different part, so the input's
 * gradient is a sum over the ranks; partition.ts derives this from the placements, and no rule states it.
 */
import { at } from '../../base/invariant';
import { type Placement, REPLICATE, type Shard, shard } from '../../sharding/placement';
import type { Shape } from '../../tensor/shape';
import type { Role } from '../graph';
import type { Attrs, TensorType, ValueId } from '../op';

export interface PlacedInput {
  readonly placement: Placement;
  /** Type of the whole tensor. */
  readonly type: TensorType;
  readonly role: Role;
}

/** The position of a rank on the axis along which tensors are cut. */
export interface RankOnAxis {
  readonly index: number;
  readonly count: number;
}

export interface RuleInput {
  readonly inputs: readonly PlacedInput[];
  /** Types of the whole output tensors. */
  readonly outputs: readonly TensorType[];
  readonly attrs: Attrs;
  readonly count: number;
  /** Whether classification losses take logits that are cut by class. */
  readonly lossParallel: boolean;
}

/** The nodes that a rule may append in place of the operator. */
export interface LocalBuilder {
  readonly rank: RankOnAxis;
  apply(op: string, inputs: readonly ValueId[], attrs: Attrs, names: readonly string[]): readonly ValueId[];
  allReduce(value: ValueId, reduceOp: 'sum' | 'max', name: string): ValueId;
}

export interface AddedOnce {
  readonly input: number;
  /** The dimension of the output along which the input lies. */
  readonly dim: number;
}

export interface Rule {
  /** Placement that each input needs. */
  readonly needs: readonly Placement[];
  /** Placement of each output; undefined for statistics that only the gradient of the same node reads. */
  readonly gives: readonly (Placement | undefined)[];
  /** The output is a sum over the ranks; this input is added to the sum once. */
  readonly addedOnce?: AddedOnce;
  /** The plan intends to gather this input: rows cut by sequence parallelism, for a layer cut by columns. */
  readonly gathersRowsOf?: number | undefined;
  /** The attributes on one rank, if they differ from the whole operator's. */
  readonly attrsOn?: (rank: RankOnAxis) => Attrs;
  /**
   * For an operator that works on pieces with other nodes than on the whole: appends the nodes and returns their
   * outputs.
   */
  readonly build?: (builder: LocalBuilder, inputs: readonly ValueId[]) => readonly ValueId[];
}

/** undefined: the operator cannot work on these pieces. */
export type RuleOf = (input: RuleInput) => Rule | undefined;

export const shardOf = ({ placement }: PlacedInput): Shard | undefined =>
  placement.kind === 'shard' ? placement : undefined;

export const isShard = (input: PlacedInput, dim: number): boolean => shardOf(input)?.dim === dim;

export const rankOf = ({ type }: PlacedInput): number => type.shape.length;

export const lastDim = (input: PlacedInput): number => rankOf(input) - 1;

/** The same cut along another dimension. */
export const moved = ({ splitFactor }: Shard, dim: number): Shard => shard(dim, splitFactor);

export const samePlacement = (a: Placement, b: Placement): boolean =>
  a.kind === 'shard' && b.kind === 'shard'
    ? a.dim === b.dim && a.splitFactor === b.splitFactor
    : a.kind === b.kind && a.kind !== 'flat';

/** A placement as torch prints it. */
export const wordsOf = (placement: Placement): string => {
  if (placement.kind === 'replicate') return 'Replicate()';
  if (placement.kind !== 'shard') return placement.kind === 'partial' ? 'Partial(sum)' : 'flat';
  const { dim, splitFactor } = placement;
  return splitFactor === 1 ? `Shard(dim=${dim})` : `_StridedShard(dim=${dim}, sf=${splitFactor})`;
};

/** The rule of an operator without a rule, or whose rule fits no cut of its inputs: everything is whole. */
export const onWholes = ({ inputs, outputs }: RuleInput): Rule => ({
  needs: inputs.map(() => REPLICATE),
  gives: outputs.map(() => REPLICATE),
});

/** The rule of operators with one input whose output keeps a cut along any of these dimensions. */
export const keepsCut =
  (fits: (dim: number, input: RuleInput) => boolean): RuleOf =>
  (input) => {
    const cut = shardOf(at(input.inputs, 0));
    if (!cut || !fits(cut.dim, input)) return undefined;
    return {
      needs: [cut, ...input.inputs.slice(1).map(() => REPLICATE)],
      gives: input.outputs.map((_, k) => (k === 0 ? cut : undefined)),
    };
  };

/** Whether all ranks have equally many elements along the dimension. */
export const isEven = (shape: Shape, dim: number, count: number): boolean => at(shape, dim) % count === 0;
