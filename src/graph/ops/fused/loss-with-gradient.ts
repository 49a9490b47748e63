/**
 * An elementwise loss and its gradient in one dispatch, for a small batch and reduction 'mean' or 'sum'. Inputs x, t
 * and the upstream gradient [1]; outputs loss [1] and dx; attr `loss`: the operator's name ('loss/mse'). Only the pass
 * fuse-loss makes it; the CPU runs the two operators themselves.
 */
import { LockstepError } from '../../../base/errors';
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import { dense, grid } from '../../launch';
import type { Attrs, OpDef } from '../../op';
import { type ElementLoss, elementLoss } from '../loss/element-loss';
import { ELEMENT_LOSSES } from '../loss/element-losses';

/** Limit of the batch, because one invocation adds up the loss. */
export const MOST_ELEMENTS = 1024;

/** The losses that the kernel supports. */
export const FUSED_LOSSES: ReadonlyMap<string, ElementLoss> = new Map(ELEMENT_LOSSES.map((loss) => [loss.name, loss]));
const OPERATORS = new Map([...FUSED_LOSSES].map(([name, loss]) => [name, elementLoss(loss)]));

function named<T>(table: ReadonlyMap<string, T>, attrs: Attrs): T {
  const found = table.get(String(attrs.loss));
  if (found === undefined) throw new LockstepError('internal', `no fused loss ${attrs.loss}`);
  return found;
}

export const elementLossWithGradient: OpDef = {
  name: 'fused/element-loss',
  infer: (inputs) => [
    { shape: [1], dtype: 'f32' },
    { shape: at(inputs, 0).shape, dtype: 'f32' },
  ],
  cpu({ inputs, outputs, inputTypes, outputTypes, attrs, scratch }) {
    const [loss, gradient] = named(OPERATORS, attrs);
    const [x, t] = [at(inputs, 0), at(inputs, 1)];
    const types = [at(inputTypes, 0), at(inputTypes, 1)];
    loss.cpu({
      inputs: [x, t],
      outputs: [at(outputs, 0)],
      inputTypes: types,
      outputTypes: [at(outputTypes, 0)],
      ...{ attrs, scratch },
    });
    const ofGradient = { outputs: [at(outputs, 1)], outputTypes: [at(outputTypes, 1)] };
    gradient.cpu({ inputs, inputTypes, ...ofGradient, attrs, scratch });
  },
  lower(types) {
    const { code, param } = named(FUSED_LOSSES, types.attrs);
    const n = elements(at(types.inputs, 0).shape);
    const params = [n, { f32: types.attrs.reduction === 'sum' ? 1 : n }, { f32: param?.(types.attrs) ?? 0 }];
    return [{ ...dense('fused/element-loss', types, params, grid(n, 32), { FUNCTION: code }), invocations: n }];
  },
  flops: (types) => 2 * named(FUSED_LOSSES, types.attrs).flops * elements(at(types.inputs, 0).shape),
};
