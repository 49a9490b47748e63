/**
 * Placement rules, a row for each operator: which placements of its inputs it can work with, and what comes out then.
 * A rule moves nothing; partition.ts puts the collectives in. Source of the facts: DTensor's rules for addmm and for
 * pointwise operators.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import type { TensorType } from '../../../graph/op';
import { PARTIAL, type Placement, REPLICATE, shard } from '../../../sharding/placement';

export interface Placed {
  readonly placement: Placement;
  /** Whole. */
  readonly type: TensorType;
}

export interface Rule {
  /** Of each input. */
  readonly needs: readonly Placement[];
  readonly output: Placement;
  /** Inputs that every rank uses for a part of its own, so that their gradients are sums over the ranks. */
  readonly partialGradients?: readonly number[];
  /** The output is a sum over the ranks, to which this input is added once, after the sum. */
  readonly addedOnce?: number;
}

type RuleOf = (inputs: readonly Placed[]) => Rule | undefined;

const dimOf = ({ placement }: Placed): number | undefined => (placement.kind === 'shard' ? placement.dim : undefined);
const lastDim = ({ type }: Placed): number => type.shape.length - 1;

/** x W^T + b. */
const linear: RuleOf = (inputs) => {
  const [x, weight] = [at(inputs, 0), at(inputs, 1)];
  const bias = inputs.length > 2;
  const features = shard(lastDim(x));
  if (dimOf(weight) === 0) return { needs: [REPLICATE, shard(0), shard(0)], output: features, partialGradients: [0] };
  if (dimOf(weight) === 1)
    return { needs: [features, shard(1), REPLICATE], output: PARTIAL, ...(bias ? { addedOnce: 2 } : {}) };
  return undefined;
};

/** Each element by itself. */
const elementwise: RuleOf = (inputs) => {
  const { placement } = at(inputs, 0);
  return placement.kind === 'shard' ? { needs: [placement], output: placement } : undefined;
};

/** Of two tensors of one shape, as an activation and its dropout mask. */
const both: RuleOf = (inputs) => {
  const { placement } = at(inputs, 0);
  return placement.kind === 'shard' ? { needs: [placement, placement], output: placement } : undefined;
};

const RULES: ReadonlyMap<string, RuleOf> = new Map([
  ['ops/linear', linear],
  ['ops/mul', both],
  ...['relu', 'tanh', 'sigmoid', 'gelu', 'silu'].map((name) => [`ops/${name}`, elementwise] as const),
]);

/** Without a row, and where nothing is cut, an operator works on whole tensors. */
export function ruleOf(op: string, inputs: readonly Placed[]): Rule {
  const rule = RULES.get(op)?.(inputs);
  if (rule) return rule;
  if (inputs.some(({ placement }) => placement.kind === 'shard'))
    throw new LockstepError(
      'config',
      `${op} has no placement rule for a tensor that is cut.`,
      'Put a rowwise layer before it, or take the layers before it out of the plan.',
    );
  return { needs: inputs.map(() => REPLICATE), output: REPLICATE };
}
