/** Every way a model can fail to fit its data, with the words the user reads. */
import { describe, expect, it } from 'vitest';
import { LockstepError } from '../base/errors';
import type { LayerConfig, LossConfig } from '../protocol/config';
import { checkModel, type DataShape } from './check-model';

const linear = (inFeatures: number, out: number): LayerConfig => ({ type: 'Linear', in: inFeatures, out, bias: true });
const mse: LossConfig = { type: 'MSELoss', reduction: 'mean' };
const rows = (inputs: number, columns: number): DataShape => ({
  input: { shape: [inputs], dtype: 'f32' },
  target: { shape: [columns], dtype: 'f32' },
});
const classes = (inputs: number): DataShape => ({
  input: { shape: [inputs], dtype: 'f32' },
  target: { shape: [], dtype: 'i32' },
});

function refusal(run: () => unknown): { code: string; message: string; hint: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof LockstepError) return { code: error.code, message: error.message, hint: error.hint };
  }
  throw new Error('not refused');
}

describe('checkModel', () => {
  it('returns the shape of the outputs of a model that fits', () => {
    expect(checkModel([linear(10, 8), { type: 'ReLU' }, linear(8, 1)], rows(10, 1), mse)).toEqual([1]);
    expect(checkModel([linear(2, 4)], classes(2), { type: 'CrossEntropyLoss', reduction: 'sum' })).toEqual([4]);
  });

  it('names the first layer that does not fit the data', () => {
    expect(refusal(() => checkModel([linear(8, 4)], rows(10, 4), mse, 32))).toEqual({
      code: 'shape',
      message: 'model.layers.0 (Linear): mat1 and mat2 shapes cannot be multiplied (32x10 and 8x4)',
      hint: 'Set in_features of layer 0 to 10: the data has 10 columns.',
    });
  });

  it('names a later layer and the one it follows', () => {
    const found = refusal(() => checkModel([linear(2, 8), { type: 'Tanh' }, linear(9, 1)], rows(2, 1), mse, 4));
    expect(found.message).toBe('model.layers.2 (Linear): mat1 and mat2 shapes cannot be multiplied (4x8 and 9x1)');
    expect(found.hint).toBe('Set in_features of layer 2 to 8: layer 0 gives 8 columns.');
  });

  it('refuses a model with nothing to learn, as the optimiser would', () => {
    expect(refusal(() => checkModel([{ type: 'Tanh' }], rows(1, 1), mse))).toEqual({
      code: 'shape',
      message: 'model.layers is [{"type":"Tanh"}]: optimizer got an empty parameter list.',
      hint: 'Add a layer with weights, such as Linear: no layer of this model has weights.',
    });
  });

  it('refuses targets that do not fit the loss', () => {
    const model = [linear(2, 3)];
    expect(refusal(() => checkModel(model, rows(2, 1), mse, 5)).message).toContain(
      '(torch.Size([5, 1])) that is different to the input size (torch.Size([5, 3]))',
    );
    expect(
      refusal(() => checkModel(model, rows(2, 1), { type: 'BCEWithLogitsLoss', reduction: 'mean' }, 5)).message,
    ).toBe(
      'loss.type is "BCEWithLogitsLoss": Target size (torch.Size([5, 1])) must be the same as input size (torch.Size([5, 3])).',
    );
    const cross: LossConfig = { type: 'CrossEntropyLoss', reduction: 'mean' };
    expect(refusal(() => checkModel(model, rows(2, 1), cross))).toMatchObject({ code: 'data' });
  });
});
