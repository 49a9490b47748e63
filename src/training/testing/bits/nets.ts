/**
 * The small nets that the table of parity/bits.test.ts is made of: each a model with its data, its loss and its
 * optimiser, so small that hundreds of runs take seconds.
 */
import type { ConfigInput } from '../../../protocol/config';
import { OWN_TEXT_VOCABULARY } from '../../../protocol/config/rule-made';
import { cnnLayers, gptLayers, mlpLayers } from '../../../protocol/presets';

/** A configuration under the name that its bits are recorded by. */
export interface Named {
  readonly name: string;
  readonly config: ConfigInput;
}

/** 46 rows in batches of 12: the last batch of an epoch is short, and 20 steps are five epochs. */
const mlp: ConfigInput = {
  model: { layers: mlpLayers([2, 6, 5, 1], 'Tanh') },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  data: { type: 'xor', samples: 46 },
  batchSize: 12,
};

/** Running statistics, a residual path with a shortcut, dropout. */
const mixed: ConfigInput = {
  model: {
    layers: [
      { type: 'Linear', in: 6, out: 8 },
      { type: 'BatchNorm1d', features: 8 },
      { type: 'ReLU' },
      {
        type: 'Residual',
        layers: [{ type: 'Linear', in: 8, out: 4 }, { type: 'GELU' }, { type: 'Dropout', p: 0.25 }],
        shortcut: [{ type: 'Linear', in: 8, out: 4, bias: false }],
      },
      { type: 'LayerNorm', features: 4 },
      { type: 'Linear', in: 4, out: 3 },
    ],
  },
  loss: { type: 'MSELoss' },
  optimizer: { type: 'Adam', lr: 0.01 },
  data: { type: 'randomRegression', samples: 46, in: 6, out: 3 },
  batchSize: 12,
};

const cnn: ConfigInput = {
  model: { layers: cnnLayers(8, [2, 3], 6) },
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
  data: { type: 'shapes', samples: 40, size: 8, testFraction: 0 },
  batchSize: 12,
};

const gpt: ConfigInput = {
  model: { layers: gptLayers({ vocab: OWN_TEXT_VOCABULARY, context: 6, width: 8, heads: 2, layers: 2 }) },
  loss: { type: 'CrossEntropyLoss' },
  optimizer: { type: 'AdamW', lr: 0.01 },
  clipGradNorm: 1,
  data: { type: 'text', context: 6 },
  batchSize: 8,
};

export const NETS = { mlp, mixed, cnn, gpt } as const;
export type NetName = keyof typeof NETS;

/** A net with settings over it, without the single device that a run has beside it. */
export const withNet = (name: string, net: NetName, config: ConfigInput = {}): Named => ({
  name,
  config: { seed: 11, compareSingle: false, ...NETS[net], ...config },
});

/** The same over a net of layers of its own. */
export const withLayers = (
  name: string,
  layers: NonNullable<ConfigInput['model']>['layers'],
  config: ConfigInput,
): Named => ({ name, config: { seed: 11, compareSingle: false, ...config, model: { layers } } });
