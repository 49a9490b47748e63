/** torch.nn's losses as graph nodes: operator, attributes and constant operands of each. */
import { at } from '../base/invariant';
import type { GraphBuilder } from '../graph/graph';
import type { Attrs, ValueId } from '../graph/op';
import type { LossConfig } from '../protocol/config';

const LOSS_OP: Readonly<Record<LossConfig['type'], string>> = {
  MSELoss: 'loss/mse',
  CrossEntropyLoss: 'loss/cross-entropy',
  BCEWithLogitsLoss: 'loss/bce-with-logits',
  L1Loss: 'loss/l1',
  SmoothL1Loss: 'loss/smooth-l1',
  HuberLoss: 'loss/huber',
  NLLLoss: 'loss/nll',
};

/** Buffer of the class weights or of pos_weight: a constant operand of the loss, not part of the model's state. */
export const LOSS_WEIGHTS = 'loss.weight';

function attrsOf(loss: LossConfig): Attrs {
  const { reduction } = loss;
  if (loss.type === 'SmoothL1Loss') return { reduction, beta: loss.beta };
  if (loss.type === 'HuberLoss') return { reduction, delta: loss.delta };
  if (loss.type !== 'CrossEntropyLoss' && loss.type !== 'NLLLoss') return { reduction };
  const labelSmoothing = loss.type === 'CrossEntropyLoss' ? loss.labelSmoothing : undefined;
  return {
    reduction,
    ...(loss.ignoreIndex === undefined ? {} : { ignoreIndex: loss.ignoreIndex }),
    ...(labelSmoothing === undefined ? {} : { labelSmoothing }),
  };
}

export const lossWeights = (loss: LossConfig): readonly number[] | undefined => {
  if (loss.type === 'BCEWithLogitsLoss') return loss.posWeight;
  return 'classWeights' in loss ? loss.classWeights : undefined;
};

/** Appends the loss: a value named 'loss' of shape [1]. */
export function buildLoss(builder: GraphBuilder, loss: LossConfig, output: ValueId, target: ValueId): ValueId {
  const weights = lossWeights(loss);
  const operands = [output, target];
  if (weights) operands.push(builder.value(LOSS_WEIGHTS, { shape: [weights.length], dtype: 'f32' }, 'buffer'));
  const placement = { module: '', phase: 'loss', names: ['loss'] } as const;
  return at(builder.apply(LOSS_OP[loss.type], operands, attrsOf(loss), placement), 0);
}
