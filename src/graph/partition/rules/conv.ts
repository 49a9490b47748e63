/**
 * Convolutions as linear layers over channels: cut by output channels, or by input channels, which gives addends of
 * full size; pooling keeps a cut of channels. torch has no styles for convolutions: these are ours.
 */
import { at } from '../../../base/invariant';
import { PARTIAL, REPLICATE, shard } from '../../../sharding/placement';
import { keepsCut, type RuleOf, shardOf } from '../rule';

/** x [N, C, H, W], W [O, C / groups, kh, kw]. */
export const conv2d: RuleOf = ({ inputs, attrs }) => {
  const [x, weight] = [at(inputs, 0), at(inputs, 1)];
  const bias = inputs.length > 2;
  const [cut, weightCut] = [shardOf(x), shardOf(weight)];
  const grouped = attrs.groups !== undefined && attrs.groups !== 1;
  if (weightCut?.dim === 0 && !grouped) {
    const { splitFactor } = weightCut;
    return {
      needs: [REPLICATE, weightCut, ...(bias ? [shard(0, splitFactor)] : [])],
      gives: [shard(1, splitFactor)],
    };
  }
  if (weightCut?.dim === 1 && !grouped)
    return {
      needs: [weightCut, weightCut, ...(bias ? [REPLICATE] : [])],
      gives: [PARTIAL],
      ...(bias ? { addedOnce: { input: 2, dim: 1 } } : {}),
    };
  if (cut?.dim === 0) return { needs: [cut, REPLICATE, ...(bias ? [REPLICATE] : [])], gives: [cut] };
  return undefined;
};

/** Pooling treats images and channels separately. */
export const pooling: RuleOf = keepsCut((dim) => dim < 2);
