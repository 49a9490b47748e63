/** Elementwise operators: every cut passes through, and a broadcast operand is cut along the dimensions that it has. */
import { at } from '../../../base/invariant';
import { type Placement, REPLICATE } from '../../../sharding/placement';
import { keepsCut, moved, type PlacedInput, type RuleOf, rankOf, shardOf } from '../rule';

export const unary: RuleOf = keepsCut(() => true);

/** Operands may have fewer dimensions than the output, or size 1 in dimensions over which they repeat. */
export const broadcast: RuleOf = ({ inputs, outputs }) => {
  const { shape } = at(outputs, 0);
  const before = (input: PlacedInput) => shape.length - rankOf(input);
  const full = (input: PlacedInput, dim: number) => input.type.shape[dim - before(input)] === shape[dim];
  // A mask is cut like its operand.
  const given = inputs.find((input) => {
    const cut = input.role === 'mask' ? undefined : shardOf(input);
    return cut && full(input, cut.dim + before(input));
  });
  const cut = given && shardOf(given);
  if (!cut) return undefined;
  const dim = cut.dim + before(given);
  const needs = inputs.map((input): Placement => (full(input, dim) ? moved(cut, dim - before(input)) : REPLICATE));
  return { needs, gives: [moved(cut, dim)] };
};
