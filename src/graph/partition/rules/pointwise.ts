/** Operators that work element by element: every cut passes through, and operands are cut as they are broadcast. */
import { at } from '../../../base/invariant';
import { type Placement, REPLICATE } from '../../../sharding/placement';
import { keepsCut, moved, type PlacedInput, type RuleOf, rankOf, shardOf } from '../rule';

export const unary: RuleOf = keepsCut(() => true);

/** The operands may have fewer dimensions than the output, or size 1 where they are repeated. */
export const broadcast: RuleOf = ({ inputs, outputs }) => {
  const { shape } = at(outputs, 0);
  const before = (input: PlacedInput) => shape.length - rankOf(input);
  const full = (input: PlacedInput, dim: number) => input.type.shape[dim - before(input)] === shape[dim];
  // A mask is drawn as its operand is cut.
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
