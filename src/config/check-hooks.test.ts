/** What is refused, and what is told, of hooks, SyncBatchNorm and the parameter server. */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../protocol/config';
import { hookNotices } from './check-hooks';
import { parseConfig } from './parse-config';

const NORM: ConfigInput['model'] = {
  layers: [
    { type: 'Linear', in: 2, out: 4 },
    { type: 'BatchNorm1d', features: 4 },
    { type: 'Linear', in: 4, out: 1 },
  ],
};

test.each<[RegExp, ConfigInput]>([
  [/Expect `start_powerSGD_iter` > 1/, { mode: 'ddp', ddp: { commHook: { type: 'powerSGD', startPowerSGDIter: 1 } } }],
  [/counts its steps/, { mode: 'ddp', accumulate: 2, ddp: { noSync: 'none', commHook: { type: 'localSGD' } } }],
  [/no shadow/, { mode: 'ddp', model: NORM, ddp: { syncBatchNorm: true, join: true } }],
  [
    /has no meaning where each worker/,
    { mode: 'parameterServer', accumulate: 2, parameterServer: { synchronous: false } },
  ],
])('refused: %s', (message, config) => {
  expect(() => parseConfig(config)).toThrow(message);
});

test.each<[readonly string[], ConfigInput]>([
  [['no-effect-hook'], { mode: 'ddp', worldSize: 1, ddp: { commHook: { type: 'fp16Compress' } } }],
  [[], { mode: 'ddp', ddp: { commHook: { type: 'bf16Compress' } } }],
  [['local-sgd-period', 'local-sgd-differ'], { mode: 'ddp', ddp: { commHook: { type: 'localSGD', period: 1 } } }],
  [['no-effect-sync-batch-norm'], { mode: 'ddp', ddp: { syncBatchNorm: true } }],
  [[], { mode: 'ddp', model: NORM, ddp: { syncBatchNorm: true } }],
  [['server-alone'], { mode: 'parameterServer', worldSize: 1 }],
  [['no-effect-staleness'], { mode: 'parameterServer', parameterServer: { staleness: 3 } }],
  [['asynchronous-differs'], { mode: 'parameterServer', parameterServer: { synchronous: false } }],
])('told: %s', (ids, config) => {
  expect(hookNotices(parseConfig(config), 32).map(({ id }) => id)).toEqual(ids);
});
