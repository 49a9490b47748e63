/** Every way a model can fail to fit its data, with the words the user reads. */
import { describe, expect, it } from 'vitest';
import { LockstepError } from '../base/errors';
import type { LayerConfig, LossConfig } from '../protocol/config';
import { checkModel, type TargetInfo } from './check-model';

const linear = (inFeatures: number, out: number): LayerConfig => ({ type: 'Linear', in: inFeatures, out, bias: true });
const mse: LossConfig = { type: 'MSELoss', reduction: 'mean' };
const columns = (n: number): TargetInfo => ({ dtype: 'f32', columns: n });

function refusal(run: () => unknown): { code: string; message: string; hint: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof LockstepError) return { code: error.code, message: error.message, hint: error.hint };
  }
  throw new Error('not refused');
}

describe('checkModel', () => {
  it('returns the number of outputs of a model that fits', () => {
    expect(checkModel([linear(10, 8), { type: 'ReLU' }, linear(8, 1)], 10, mse, columns(1))).toBe(1);
    const labels = { dtype: 'i32', columns: 1 } as const;
    expect(checkModel([linear(2, 4)], 2, { type: 'CrossEntropyLoss', reduction: 'sum' }, labels)).toBe(4);
  });

  it('names the first layer that does not fit the data', () => {
    expect(refusal(() => checkModel([linear(8, 4)], 10, mse, columns(4), 32))).toEqual({
      code: 'shape',
      message: 'layer 0 (Linear): mat1 and mat2 shapes cannot be multiplied (32x10 and 8x4)',
      hint: 'Set in_features of layer 0 to 10: the data has 10 columns.',
    });
  });

  it('names a later layer and the one it follows', () => {
    const found = refusal(() => checkModel([linear(2, 8), { type: 'Tanh' }, linear(9, 1)], 2, mse, columns(1), 4));
    expect(found.message).toBe('layer 2 (Linear): mat1 and mat2 shapes cannot be multiplied (4x8 and 9x1)');
    expect(found.hint).toBe('Set in_features of layer 2 to 8: layer 0 gives 8 columns.');
  });

  it('refuses a model with nothing to learn, as the optimiser would', () => {
    expect(refusal(() => checkModel([{ type: 'Tanh' }], 1, mse, columns(1)))).toEqual({
      code: 'shape',
      message: 'optimizer got an empty parameter list',
      hint: 'Add a Linear layer: the others learn nothing.',
    });
  });

  it('refuses targets that do not fit the loss', () => {
    const model = [linear(2, 3)];
    expect(refusal(() => checkModel(model, 2, mse, columns(1), 5)).message).toContain(
      '(torch.Size([5, 1])) that is different to the input size (torch.Size([5, 3]))',
    );
    expect(
      refusal(() => checkModel(model, 2, { type: 'BCEWithLogitsLoss', reduction: 'mean' }, columns(1), 5)).message,
    ).toBe('BCEWithLogitsLoss: Target size (torch.Size([5, 1])) must be the same as input size (torch.Size([5, 3]))');
    const cross: LossConfig = { type: 'CrossEntropyLoss', reduction: 'mean' };
    expect(refusal(() => checkModel(model, 2, cross, columns(1)))).toMatchObject({ code: 'data' });
  });
});
