/** Where mixed precision is refused: the refusal names the settings and says what to change. */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../protocol/config';
import { parseConfig } from './parse-config';

test.each<[ConfigInput, string]>([
  [
    { mode: 'dataParallel', precision: 'autocast-bf16' },
    'mode is "dataParallel" and precision is "autocast-bf16": DataParallel computes in float32 alone',
  ],
  [
    { mode: 'parameterServer', precision: 'autocast-fp16' },
    'mode is "parameterServer" and precision is "autocast-fp16"',
  ],
  [{ mode: 'tensor', worldSize: 2, precision: 'autocast-bf16' }, 'mode is "tensor" and precision is "autocast-bf16"'],
  [
    { mode: 'pipeline', mesh: { pp: 2, tp: 2 }, precision: 'autocast-bf16' },
    'precision is "autocast-bf16" and mesh.tp is 2',
  ],
  [
    { mode: 'ddp', precision: 'autocast-bf16', ddp: { syncBatchNorm: true } },
    'precision is "autocast-bf16" and ddp.syncBatchNorm is true',
  ],
  [
    { mode: 'sharded', worldSize: 2, sharded: { stage: 1, paramDtype: 'bfloat16' } },
    'sharded.stage is 1 and sharded.paramDtype is "bfloat16": stages 0 and 1 are DistributedDataParallel',
  ],
  [
    { mode: 'sharded', worldSize: 2, precision: 'autocast-bf16', sharded: { reduceDtype: 'float16' } },
    'precision is "autocast-bf16" and sharded.reduceDtype is "float16"',
  ],
  [
    { mode: 'sharded', mesh: { dpShard: 2, tp: 2 }, sharded: { paramDtype: 'bfloat16' } },
    'mesh.tp is 2 and sharded.paramDtype is "bfloat16"',
  ],
  [
    { mode: 'pipeline', mesh: { pp: 2, dpShard: 2 }, sharded: { paramDtype: 'bfloat16' } },
    'mode is "pipeline" and sharded.paramDtype is "bfloat16"',
  ],
  [
    {
      mode: 'sharded',
      worldSize: 2,
      model: {
        layers: [
          { type: 'Linear', in: 2, out: 4 },
          { type: 'BatchNorm1d', features: 4 },
        ],
      },
      sharded: { paramDtype: 'float16' },
    },
    'expected scalar type Half but found Float',
  ],
  [
    { mode: 'sharded', worldSize: 2, sharded: { paramDtype: 'bfloat16', castForwardInputs: false } },
    'mat1 and mat2 must have the same dtype, but got Float and BFloat16',
  ],
  [{ mode: 'ddp', precision: 'bf16-master' }, 'mode is "ddp" and precision is "bf16-master"'],
  [{ mode: 'single', precision: 'bf16', optimizer: { type: 'RMSprop' } }, 'RMSprop has no steps in bfloat16 here'],
  [
    { mode: 'single', precision: 'bf16', optimizer: { type: 'Adam', amsgrad: true } },
    'optimizer.amsgrad is true and precision is "bf16"',
  ],
  [{ mode: 'pipeline', gradScaler: { enabled: true } }, 'mode is "pipeline" and gradScaler.enabled is true'],
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
])('%j runs', (config) => {
  expect(parseConfig(config)).toMatchObject(config);
});
