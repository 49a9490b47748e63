/** Every setting that makes a parallel run differ from the single device is named as the cause. */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { type ConfigInput, configSchema } from '../../../protocol/config';
import { differenceCause } from './difference-cause';

const norm: ConfigInput['model'] = {
  layers: [
    { type: 'Linear', in: 2, out: 4 },
    { type: 'BatchNorm1d', features: 4 },
  ],
};

test.each([
  [{}, 'rounding'],
  [{ ddp: { initSync: false, rankSeeds: 'beforeModel' } }, 'different weights'],
  [{ loss: { type: 'MSELoss', reduction: 'sum' } }, 'summed loss'],
  [{ loss: { type: 'MSELoss', reduction: 'sum' }, optimizer: { type: 'Adam' } }, 'rounding'],
  [{ loss: { type: 'MSELoss', reduction: 'sum' }, optimizer: { type: 'Adam', weightDecay: 0.1 } }, 'summed loss'],
  [{ loss: { type: 'MSELoss', reduction: 'sum' }, optimizer: { type: 'Adam' }, clipGradValue: 0.1 }, 'summed loss'],
  [{ ddp: { samplesPerRank: [3, 1] } }, 'fewer rows'],
  [{ ddp: { commHook: { type: 'localSGD' } } }, 'by itself'],
  [{ ddp: { commHook: { type: 'fp16Compress' } } }, 'less than the gradients'],
  [{ model: norm }, 'batch norm'],
  [{ model: norm, ddp: { syncBatchNorm: true } }, 'rounding'],
] as const satisfies readonly (readonly [ConfigInput, string])[])('%o: %s', (settings, cause) => {
  expect(differenceCause(v.parse(configSchema, { mode: 'ddp', ...settings }))).toContain(cause);
});
