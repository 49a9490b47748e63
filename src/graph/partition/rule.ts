/**
 * The form of a placement rule: which placements of its inputs an operator can work with, given those that they have,
 * and what comes out then. A rule moves nothing; partition.ts brings the inputs to what the rule needs. Where an input
 * is whole and an output is not, every rank uses the input for a part of its own, so the input's gradient is a sum over
 * the ranks; that follows from the placements, and no rule says it.
 */
import { at } from '../../base/invariant';
import { type Placement, REPLICATE, type Shard, shard } from '../../sharding/placement';
import type { Shape } from '../../tensor/shape';
import type { Role } from '../graph';
import type { Attrs, TensorType, ValueId } from '../op';

export interface PlacedInput {
  readonly placement: Placement;
  /** Of the whole tensor. */
  readonly type: TensorType;
  readonly role: Role;
}

/** Where a rank lies on the axis along which tensors are cut. */
export interface RankOnAxis {
  readonly index: number;
  readonly count: number;
}

export interface RuleInput {
  readonly inputs: readonly PlacedInput[];
  /** Of the whole tensors. */
  readonly outputs: readonly TensorType[];
  readonly attrs: Attrs;
  readonly count: number;
  /** Losses of classes take logits that are cut by class. */
  readonly lossParallel: boolean;
}

/** What a rule may append in place of the operator. */
export interface LocalBuilder {
  readonly rank: RankOnAxis;
  apply(op: string, inputs: readonly ValueId[], attrs: Attrs, names: readonly string[]): readonly ValueId[];
  allReduce(value: ValueId, reduceOp: 'sum' | 'max', name: string): ValueId;
}

export interface AddedOnce {
  readonly input: number;
  /** Of the output, along which the input lies. */
  readonly dim: number;
}

export interface Rule {
  /** Of each input. */
  readonly needs: readonly Placement[];
  /** Of each output. undefined: statistics for the gradient of the same node, no piece of anything. */
  readonly gives: readonly (Placement | undefined)[];
  /** The output is a sum over the ranks, to which this input is added once. */
  readonly addedOnce?: AddedOnce;
  /**
   * This input is gathered as the plan means it: rows that sequence parallelism has cut, for a layer cut by columns.
   */
  readonly gathersRowsOf?: number | undefined;
  /** The attributes on one rank, where they are other than those of the whole. */
  readonly attrsOn?: (rank: RankOnAxis) => Attrs;
  /** Of an operator that works on pieces in other steps than on the whole: appends them, and hands out its outputs. */
  readonly build?: (builder: LocalBuilder, inputs: readonly ValueId[]) => readonly ValueId[];
}

/** undefined: the operator cannot work on these pieces. */
export type RuleOf = (input: RuleInput) => Rule | undefined;

export const shardOf = ({ placement }: PlacedInput): Shard | undefined =>
  placement.kind === 'shard' ? placement : undefined;

export const isShard = (input: PlacedInput, dim: number): boolean => shardOf(input)?.dim === dim;

export const rankOf = ({ type }: PlacedInput): number => type.shape.length;

export const lastDim = (input: PlacedInput): number => rankOf(input) - 1;

/** The same cut at another dimension. */
export const moved = ({ splitFactor }: Shard, dim: number): Shard => shard(dim, splitFactor);

export const samePlacement = (a: Placement, b: Placement): boolean =>
  a.kind === 'shard' && b.kind === 'shard'
    ? a.dim === b.dim && a.splitFactor === b.splitFactor
    : a.kind === b.kind && a.kind !== 'flat';

/** As torch prints placements. */
export const wordsOf = (placement: Placement): string => {
  if (placement.kind === 'replicate') return 'Replicate()';
  if (placement.kind !== 'shard') return placement.kind === 'partial' ? 'Partial(sum)' : 'flat';
  const { dim, splitFactor } = placement;
  return splitFactor === 1 ? `Shard(dim=${dim})` : `_StridedShard(dim=${dim}, sf=${splitFactor})`;
};

/** Everything whole: what an operator does that has no rule, or whose rule fits no cut of its inputs. */
export const onWholes = ({ inputs, outputs }: RuleInput): Rule => ({
  needs: inputs.map(() => REPLICATE),
  gives: outputs.map(() => REPLICATE),
});

/** One input, whose cut along any of these dimensions is that of the output, too. */
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

/** Whether all ranks have as many elements of the dimension. */
export const isEven = (shape: Shape, dim: number, count: number): boolean => at(shape, dim) % count === 0;
