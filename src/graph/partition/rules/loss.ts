/** Cross-entropy of logits that are cut by class: loss_parallel. Every other loss takes whole tensors. */
import { at } from '../../../base/invariant';
import { pieceOf } from '../../../sharding/piece';
import { REPLICATE, shard } from '../../../sharding/placement';
import { PARALLEL_LOSS, PARALLEL_MAX, PARALLEL_SUMS } from '../../ops/loss/parallel-cross-entropy';
import { isShard, lastDim, type RuleOf } from '../rule';

export const crossEntropy: RuleOf = ({ inputs, outputs, attrs, lossParallel }) => {
  const [x, labels] = [at(inputs, 0), at(inputs, 1)];
  const plain = inputs.length === 2 && labels.type.dtype === 'i32' && !attrs.labelSmoothing && attrs.dim === undefined;
  if (!lossParallel || !plain || attrs.reduction === 'none' || !isShard(x, lastDim(x))) return undefined;
  const { shape } = x.type;
  const classes = at(shape, lastDim(x));
  const cut = shard(lastDim(x));
  return {
    needs: [cut, REPLICATE],
    // The statistics are those of the rank's classes.
    gives: [REPLICATE, ...outputs.slice(1).map(() => undefined)],
    build(builder, [logits = 0, targets = 0]) {
      const [own] = at(pieceOf(shape, [{ placement: cut, ...builder.rank }]).ranges, lastDim(x));
      const [ownMax = 0] = builder.apply(PARALLEL_MAX, [logits], {}, ['loss.max.own']);
      const max = builder.allReduce(ownMax, 'max', 'loss.max');
      const [ownExps = 0, ownLogit = 0, ownTargets = 0] = builder.apply(
        PARALLEL_SUMS,
        [logits, targets, max],
        { ...attrs, first: own?.start ?? 0 },
        ['loss.exps.own', 'loss.logit.own', 'loss.labels.own'],
      );
      const exps = builder.allReduce(ownExps, 'sum', 'loss.exps');
      const logit = builder.allReduce(ownLogit, 'sum', 'loss.logit');
      const operands = [logits, ownTargets, targets, max, exps, logit];
      return builder.apply(PARALLEL_LOSS, operands, { ...attrs, classes }, ['loss', 'loss.stats']);
    },
  };
};
