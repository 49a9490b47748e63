/** Where a MixedPrecisionPolicy is refused: the refusal names the settings and says what to change. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { checkPolicy } from './check-policy';

test.each<[ConfigInput, string]>([
  [
    { mode: 'sharded', worldSize: 2, sharded: { stage: 1, paramDtype: 'bfloat16' } },
    'sharded.stage is 1 and sharded.paramDtype is "bfloat16": stages 0 and 1 are DistributedDataParallel',
  ],
  [
    { mode: 'sharded', worldSize: 2, precision: 'autocast-bf16', sharded: { reduceDtype: 'float16' } },
    'precision is "autocast-bf16" and sharded.reduceDtype is "float16"',
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
  [
    { mode: 'sharded', worldSize: 3, clipGradNorm: 1, clipGradNormType: 'inf' },
    'a rank has no row of 4.weight, and PyTorch stops there: “_foreach_norm cannot compute the infinity norm on an empty',
  ],
])('%j', (config, words) => {
  expect(() => checkPolicy(parseConfig(config))).toThrow(words);
});

test.each<ConfigInput>([
  { mode: 'sharded', worldSize: 2, gradScaler: { enabled: true }, sharded: { paramDtype: 'float16' } },
  { mode: 'sharded', worldSize: 2, sharded: { reduceDtype: 'bfloat16' } },
  { mode: 'sharded', mesh: { dpShard: 2, tp: 2 }, sharded: { paramDtype: 'bfloat16' } },
  { mode: 'pipeline', mesh: { pp: 2, dpShard: 2 }, sharded: { paramDtype: 'bfloat16' } },
  { mode: 'ddp', worldSize: 2, sharded: { paramDtype: 'bfloat16' } },
  { mode: 'sharded', worldSize: 3, clipGradNorm: 1, clipGradNormType: 3 },
  { mode: 'sharded', worldSize: 3, clipGradNorm: 1, clipGradNormType: 'inf', sharded: { stage: 1 } },
])('%j runs', (config) => {
  expect(() => checkPolicy(parseConfig(config))).not.toThrow();
});
