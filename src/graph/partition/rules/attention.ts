/** Heads are independent: every rank has the queries, keys and values of its own heads. */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { shard } from '../../../sharding/placement';
import { lastDim, type RuleOf, shardOf } from '../rule';

/** Input qkv [N, T, 3 D], whose thirds are cut separately; outputs [N, T, D] and [N, heads, T]. */
export const selfAttention: RuleOf = ({ inputs, attrs, count }) => {
  const qkv = at(inputs, 0);
  const cut = shardOf(qkv);
  if (cut?.dim === 0) return { needs: [cut], gives: [cut, cut] };
  if (cut?.dim !== lastDim(qkv)) return undefined;
  const heads = Number(attrs.heads);
  if (heads % count !== 0)
    throw new LockstepError(
      'config',
      `${heads} heads cannot be divided among ${count} tp ranks: PyTorch ends with “shape is invalid for input of size”, because a rank’s columns are not whole heads.`,
      'Each rank computes whole heads: choose a number of heads that the number of tp ranks divides.',
    );
  return {
    needs: [shard(cut.dim, 3)],
    gives: [shard(lastDim(qkv)), shard(1)],
    attrsOn: () => ({ ...attrs, heads: heads / count }),
  };
};
