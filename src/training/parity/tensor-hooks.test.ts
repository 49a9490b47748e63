/**
 * Communication hooks around the parts of a tensor group's ranks: the bytes that the ranks send equal the closed form,
 * replicas stay equal to the bit, and settings that a hook refuses are refused or named.
 * exported-tensor-hooks.torch.test.ts trains the same hooks in PyTorch.
 */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { parseConfig } from '../../config/parse-config';
import { sessionInfo } from '../../headless/session-info';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { metricsOf } from '../../trace/metrics';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { replicaDivergence } from '../weights/weight-differences';

const RUN: ConfigInput = {
  ...{ device: 'cpu', compareSingle: false, seed: 4, steps: 6, batchSize: 16 },
  ...{ mode: 'tensor', mesh: { tp: 2, dpReplicate: 2 } },
  model: { layers: mlpLayers([6, 8, 8, 8, 3], 'Tanh') },
  data: { type: 'prototypes', samples: 64, classes: 3, features: 6 },
  loss: { type: 'CrossEntropyLoss' },
};
const POWER = { type: 'powerSGD', startPowerSGDIter: 2, minCompressionRate: 0.5 } as const;

test.each<NonNullable<ConfigInput['ddp']>>([
  { commHook: { type: 'fp16Compress' } },
  { commHook: POWER },
  { commHook: POWER, bucketCapMb: 0.0001 },
  { commHook: { type: 'localSGD', period: 2, startLocalSGDIter: 2 } },
])('%j', place({ modes: ['tensor'] }), async (ddp) => {
  const blueprint = createBlueprint(parseConfig({ ...RUN, ddp }), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  // A trace is of one more step; local SGD averages after the third and the fifth.
  for (let step = 1; step <= 5; step++) {
    expect(metricsOf(await training.trace(), 'modelled', sessionInfo(training)).bytesAgree).toBe(true);
  }
  expect(replicaDivergence(blueprint, await training.weights())).toBe(0);
  await training.dispose();
});

test('a hook that counts reductions takes one reduction per step', () => {
  const config = parseConfig({ ...RUN, accumulate: 2, ddp: { noSync: 'none', commHook: POWER } });
  expect(() => createBlueprint(config, {})).toThrow(/counts each all-reduce as a step/);
});

test('what PyTorch refuses has no effect, and a notice quotes PyTorch', () => {
  const { config, notices } = createBlueprint(
    parseConfig({ ...RUN, ddp: { commHook: { ...POWER, startPowerSGDIter: 1 } } }),
    {},
  );
  expect(config.ddp.commHook.type).toBe('allreduce');
  expect(notices.find(({ id }) => id === 'ddp-of-tensor-groups')?.text).toContain('Expect `start_powerSGD_iter` > 1');
});

test('between the averages of local SGD the replicas differ, as a notice says', () => {
  const { notices } = createBlueprint(parseConfig({ ...RUN, ddp: { commHook: { type: 'localSGD' } } }), {});
  expect(notices.map(({ id }) => id)).toContain('local-sgd-differ');
});
