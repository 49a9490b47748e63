/** Where mixed precision is refused: the refusal names the settings and says what to change. */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../protocol/config';
import { parseConfig } from './parse-config';

test.each<[ConfigInput, string]>([
  [
    { mode: 'dataParallel', precision: 'autocast-bf16' },
    'mode is "dataParallel" and precision is "autocast-bf16": nn.DataParallel’s threads autocast to float16',
  ],
  [
    { mode: 'parameterServer', gradScaler: { enabled: true } },
    'mode is "parameterServer" and gradScaler.enabled is true',
  ],
  [{ mode: 'ddp', precision: 'bf16-master' }, 'mode is "ddp" and precision is "bf16-master"'],
  [
    { mode: 'ddp', precision: 'bf16', ddp: { commHook: { type: 'powerSGD' } } },
    'precision is "bf16" and ddp.commHook.type is "powerSGD"',
  ],
  [
    { mode: 'ddp', precision: 'bf16', ddp: { gradientAsBucketView: true } },
    'precision is "bf16" and ddp.gradientAsBucketView is true',
  ],
  [
    { mode: 'single', precision: 'bf16', optimizer: { type: 'RMSprop' } },
    'optimizer.type is "RMSprop" and precision is "bf16"',
  ],
  [
    { mode: 'single', precision: 'bf16', optimizer: { type: 'Adam', amsgrad: true } },
    'optimizer.amsgrad is true and precision is "bf16"',
  ],
])('%j', (config, words) => {
  expect(() => parseConfig(config)).toThrow(words);
});

test.each<ConfigInput>([
  { mode: 'single', precision: 'autocast-fp16', gradScaler: { enabled: true } },
  { mode: 'sharded', worldSize: 2, precision: 'autocast-bf16', gradScaler: { enabled: true } },
  { mode: 'ddp', gradScaler: { enabled: true } },
  { mode: 'sharded', worldSize: 2, gradScaler: { enabled: true }, sharded: { paramDtype: 'float16' } },
  { mode: 'ddp', worldSize: 2, sharded: { paramDtype: 'bfloat16' } },
  { mode: 'modelParallel', worldSize: 2, precision: 'autocast-bf16' },
  { mode: 'modelParallel', worldSize: 2, precision: 'autocast-fp16', gradScaler: { enabled: true } },
  { mode: 'pipeline', mesh: { pp: 2, dpReplicate: 2 }, gradScaler: { enabled: true } },
  { mode: 'dataParallel', worldSize: 2, precision: 'autocast-fp16', gradScaler: { enabled: true } },
  { mode: 'parameterServer', worldSize: 3, precision: 'autocast-bf16' },
  { mode: 'ddp', worldSize: 2, precision: 'bf16', ddp: { join: true, findUnusedParameters: true } },
  { mode: 'tensor', worldSize: 2, precision: 'autocast-fp16', gradScaler: { enabled: true } },
  { mode: 'pipeline', mesh: { pp: 2, tp: 2 }, precision: 'autocast-bf16' },
  { mode: 'ddp', worldSize: 2, precision: 'autocast-bf16', ddp: { syncBatchNorm: true } },
])('%j runs', (config) => {
  expect(parseConfig(config)).toMatchObject(config);
});
