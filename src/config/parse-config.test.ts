/**
 * What a configuration that is not valid is answered with: every complaint names the setting, what is allowed and what
 * is there.
 */
import { describe, expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import { MODES } from '../protocol/config';
import { parseConfig } from './parse-config';

const EVERY_MODE = MODES.map((mode) => `"${mode}"`).join(', ');

function refusal(config: unknown): LockstepError {
  try {
    parseConfig(config);
  } catch (error) {
    if (error instanceof LockstepError) return error;
    throw error;
  }
  throw new Error('accepted');
}

describe('a configuration that is not valid', () => {
  test.each([
    [{ worldsize: 4 }, 'There is no setting worldsize; did you mean "worldSize"?'],
    [{ optimizer: { type: 'SGD', weight_decay: 1 } }, 'There is no setting optimizer.weight_decay; did you mean'],
    [{ optimizer: { type: 'Adam', momentum: 0.9 } }, 'There is no setting optimizer.momentum.'],
    [{ learning: 1 }, 'There is no setting learning.'],
    [{ worldSize: 65 }, 'worldSize must be at most 64, not 65.'],
    [{ worldSize: 0 }, 'worldSize must be at least 1, not 0.'],
    [{ worldSize: '4' }, 'worldSize must be a number, not "4".'],
    [{ worldSize: 2.5 }, 'worldSize must be a whole number, not 2.5.'],
    [{ shuffle: 'yes' }, 'shuffle must be true or false, not "yes".'],
    [{ mode: 'DDP' }, `${EVERY_MODE}, not "DDP"; did you mean "ddp"?`],
    [{ mode: null }, `mode must be one of ${EVERY_MODE}, not null.`],
    [{ optimizer: { type: 'Lion' } }, 'optimizer.type must be one of "SGD", "Adam", "AdamW", "RMSprop"'],
    [{ optimizer: { lr: 1 } }, 'optimizer.type is missing; it is one of "SGD", "Adam", "AdamW", "RMSprop"'],
    [
      { optimizer: { type: 'SGD', momentum: -1 } },
      'optimizer.momentum must be at least 0, not -1. PyTorch: "Invalid momentum value: -1".',
    ],
    [{ optimizer: { type: 'Adam', beta2: 1 } }, 'PyTorch: "Invalid beta parameter at index 1: 1".'],
    [{ optimizer: { type: 'RMSprop', weightDecay: -0.1 } }, 'PyTorch: "Invalid weight_decay value: -0.1".'],
    [{ optimizer: { type: 'SGD', lr: 1000 } }, 'optimizer.lr must be at most 100, not 1000.'],
    [{ optimizer: 'SGD' }, 'optimizer must be an object with settings, not "SGD".'],
    [{ model: {} }, 'model.layers is missing.'],
    [{ model: { layers: [] } }, 'model.layers must be a list of at least 1, not 0.'],
    [{ model: { layers: {} } }, 'model.layers must be a list, not an object.'],
    [{ model: { layers: [{ type: 'Conv4d' }] } }, 'model.layers.0.type must be one of "Linear", "ReLU"'],
    [{ model: { layers: [{ type: 'Conv4d' }] } }, '"Residual", "Unused", not "Conv4d"; did you mean "Conv2d"?'],
    [
      { model: { layers: [{ type: 'Residual', layers: [{ type: 'Residual', layers: [{ type: 'relu' }] }] }] } },
      'model.layers.0.layers.0.layers.0.type must be one of "Linear", "ReLU"',
    ],
    [
      { model: { layers: [{ type: 'ReLU' }, { type: 'Residual', layers: [{ type: 'ReLU' }], shortcut: [{}] }] } },
      'model.layers.1.shortcut.0.type is missing; it is one of "Linear", "ReLU"',
    ],
    [{ model: { layers: [{ type: 'Residual' }] } }, 'model.layers.0.layers is missing.'],
    [
      { model: { layers: [{ type: 'Linear', in_features: 2, out: 1 }] } },
      'There is no setting model.layers.0.in_features; did you mean "in"?',
    ],
    [
      { model: { layers: [{ type: 'Conv2d', in: 1, out: 1, kernel: [3] }] } },
      'must be a whole number or a list of two',
    ],
    [{ model: { layers: [{ type: 'Tanh', name: 'a b' }] } }, 'must be made of letters, digits, _ and ., not "a b".'],
    [{ data: { type: 'text', text: 'a' } }, 'data.text must be a text of at least 2 characters, not "a".'],
    [
      { mode: 'tensor', worldSize: 2, tensor: { plan: { 0: { style: 'RowwiseParallel', output: 'Shard(1)' } } } },
      'There is no setting tensor.plan.0.output',
    ],
    [{ optimizer: { type: 'adamw' } }, 'not "adamw"; did you mean "AdamW"?'],
    [{ loss: { type: 'CrossEntropy' } }, 'not "CrossEntropy"; did you mean "CrossEntropyLoss"?'],
    [{ scheduler: { type: 'StepLr', stepSize: 2 } }, 'not "StepLr"; did you mean "StepLR"?'],
    [{ scheduler: { type: 'Foo' } }, '"SequentialLR", not "Foo".'],
    [{ data: { type: 'digit' } }, 'not "digit"; did you mean "digits"?'],
    [{ bathcSize: 3 }, 'There is no setting bathcSize; did you mean "batchSize"?'],
    [{ data: { type: 'csv' } }, 'data.file is missing.'],
    [{ data: { type: 'csv', file: 'a', target: true } }, 'data.target must be a text or a number, not true.'],
    [{ clipGradNormType: 'max' }, 'clipGradNormType must be a number or "inf", not "max".'],
    [{ clipGradNormType: 0 }, 'clipGradNormType must be at least 0.5, not 0.'],
    [[], 'The configuration must be an object with settings, not a list.'],
    [{ ddp: [] }, 'ddp must be an object with settings, not a list.'],
    [{ tensor: { plan: [] } }, 'tensor.plan must be an object with settings, not a list.'],
    [undefined, 'The configuration is missing.'],
  ])('%j', (config, text) => {
    const error = refusal(config);
    expect(error.code).toBe('config');
    expect(error.message).toContain(text);
    expect(error.hint).toContain('lockstep schema');
  });

  test('more than 16 ranks run in one thread, not in workers', () => {
    const ranks = { mode: 'ddp', worldSize: 17, batchSize: 34 };
    expect(parseConfig(ranks).worldSize).toBe(17);
    expect(() => parseConfig({ ...ranks, placement: 'workers' })).toThrow('at most 16 ranks can have a worker each');
    expect(() => parseConfig({ ...ranks, mode: 'dataParallel', placement: 'workers' })).not.toThrow();
  });

  test('all errors are reported at once', () => {
    const { message } = refusal({ worldSize: 65, seed: -1 });
    expect(message).toContain('seed must be at least 0, not -1. worldSize must be at most 64, not 65.');
  });

  test('a long text is cut', () => {
    expect(refusal({ mode: 'x'.repeat(500) }).message.length).toBeLessThan(250);
  });
});

test('DDP refuses a batch that leaves ranks without a sample, and names both numbers', () => {
  const { code, message } = refusal({ mode: 'ddp', worldSize: 8, batchSize: 3 });
  expect(code).toBe('placement');
  expect(message).toBe('batchSize is 3 and worldSize is 8: 5 ranks would get no row of the batch.');
});
