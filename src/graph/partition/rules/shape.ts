/** Operators that only move elements. */
import { at } from '../../../base/invariant';
import { type Shape, sameShape } from '../../../tensor/shape';
import { isEven, type RuleOf, shardOf } from '../rule';

/**
 * [N, C, H, W] as [N, C H W]: a cut of the channels becomes a cut of the flattened dimension if all ranks have equally
 * many; a cut of rows stays.
 */
export const reshape: RuleOf = ({ inputs, outputs, attrs, count }) => {
  const x = at(inputs, 0);
  const cut = shardOf(x);
  const [from, to] = [x.type.shape, at(outputs, 0).shape];
  if (cut === undefined || cut.splitFactor > 1 || !isEven(from, cut.dim, count)) return undefined;
  const { dim } = cut;
  const size = at(from, dim);
  // The dimensions before must stay the same, and the flattened dimension must begin with the cut one.
  if (!sameShape(from.slice(0, dim), to.slice(0, dim)) || to[dim] === undefined || at(to, dim) % size !== 0)
    return undefined;
  const local: Shape = to.with(dim, at(to, dim) / count);
  return { needs: [cut], gives: [cut], attrsOn: () => ({ ...attrs, shape: local }) };
};

/** Only dimensions that the slice takes whole may be cut. */
export const slice: RuleOf = ({ inputs, outputs, attrs }) => {
  const x = at(inputs, 0);
  const cut = shardOf(x);
  const [from, to] = [x.type.shape, at(outputs, 0).shape];
  if (cut === undefined || attrs.select === true || to.length !== from.length) return undefined;
  if (to[cut.dim] !== from[cut.dim]) return undefined;
  const { start, end } = attrs;
  if (!Array.isArray(start) || !Array.isArray(end)) return undefined;
  return {
    needs: [cut],
    gives: [cut],
    attrsOn: () => ({ ...attrs, start: start.with(cut.dim, 0), end: end.with(cut.dim, at(from, cut.dim)) }),
  };
};
