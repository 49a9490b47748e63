/** y = x W^T + b, x [..., I], W [O, I]: DTensor's rules for addmm. */
import { at } from '../../../base/invariant';
import { PARTIAL, REPLICATE, shard } from '../../../sharding/placement';
import { lastDim, moved, type RuleOf, shardOf } from '../rule';

export const linear: RuleOf = ({ inputs }) => {
  const [x, weight] = [at(inputs, 0), at(inputs, 1)];
  const bias = inputs.length > 2;
  const [cut, weightCut] = [shardOf(x), shardOf(weight)];
  // The rank's output features for all rows.
  if (weightCut?.dim === 0) {
    const { splitFactor } = weightCut;
    const features = shard(lastDim(x), splitFactor);
    return {
      needs: [REPLICATE, weightCut, ...(bias ? [shard(0, splitFactor)] : [])],
      gives: [features],
      gathersRowsOf: cut && cut.dim < lastDim(x) ? 0 : undefined,
    };
  }
  // An addend of full size from the rank's input features.
  if (weightCut?.dim === 1)
    return {
      needs: [moved(weightCut, lastDim(x)), weightCut, ...(bias ? [REPLICATE] : [])],
      gives: [PARTIAL],
      ...(bias ? { addedOnce: { input: 2, dim: lastDim(x) } } : {}),
    };
  // All features for the rank's rows.
  if (cut && cut.dim < lastDim(x)) return { needs: [cut, REPLICATE, ...(bias ? [REPLICATE] : [])], gives: [cut] };
  return undefined;
};
