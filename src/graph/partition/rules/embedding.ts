/**
 * Rows of a weight [V, D] by ids. If the weight is cut by width, each rank looks up its columns; if by vocabulary, each
 * rank looks up its own ids, takes zeros for the others, and the ranks' rows are summed; if the ids are cut, each rank
 * looks up its own ids.
 */
import { at } from '../../../base/invariant';
import { pieceOf } from '../../../sharding/piece';
import { PARTIAL, REPLICATE, shard } from '../../../sharding/placement';
import type { Attrs } from '../../op';
import { moved, type RuleOf, rankOf, shardOf } from '../rule';

export const embedding: RuleOf = ({ inputs, attrs }) => {
  const [ids, weight] = [at(inputs, 0), at(inputs, 1)];
  const [cut, weightCut] = [shardOf(ids), shardOf(weight)];
  if (weightCut?.dim === 1) return { needs: [REPLICATE, weightCut], gives: [moved(weightCut, rankOf(ids))] };
  if (weightCut?.dim === 0)
    return {
      needs: [REPLICATE, shard(0)],
      gives: [PARTIAL],
      attrsOn(rank) {
        const { shape } = weight.type;
        const [rows] = at(pieceOf(shape, [{ placement: shard(0), ...rank }]).ranges, 0);
        return { ...paddingOf(attrs, at(shape, 0), rows?.start ?? 0, rows?.length ?? 0), first: rows?.start ?? 0 };
      },
    };
  return cut ? { needs: [cut, REPLICATE], gives: [cut] } : undefined;
};

/** The row without gradient, counted from the rank's first row; none if another rank has it. */
function paddingOf({ paddingIdx }: Attrs, rows: number, start: number, length: number): Attrs {
  if (typeof paddingIdx !== 'number') return {};
  const own = (paddingIdx < 0 ? paddingIdx + rows : paddingIdx) - start;
  return own >= 0 && own < length ? { paddingIdx: own } : {};
}
