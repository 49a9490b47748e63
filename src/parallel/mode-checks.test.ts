/** What is refused, and what a notice says, of hooks, SyncBatchNorm and the parameter server. */
import { expect, test } from 'vitest';
import { parseConfig } from '../config/parse-config';
import type { ConfigInput } from '../protocol/config';
import { hookNotices } from './ddp/hook-notices';
import { serverNotices } from './parameter-server/notices';

const NORM: ConfigInput['model'] = {
  layers: [
    { type: 'Linear', in: 2, out: 4 },
    { type: 'BatchNorm1d', features: 4 },
    { type: 'Linear', in: 4, out: 1 },
  ],
};

test.each<[RegExp, ConfigInput]>([
  [/Expect `start_powerSGD_iter` > 1/, { mode: 'ddp', ddp: { commHook: { type: 'powerSGD', startPowerSGDIter: 1 } } }],
  [
    /counts each all-reduce as a step/,
    { mode: 'ddp', accumulate: 2, ddp: { noSync: 'none', commHook: { type: 'localSGD' } } },
  ],
  [/ranks that have joined do not take part/, { mode: 'ddp', model: NORM, ddp: { syncBatchNorm: true, join: true } }],
  [
    /applies each worker's gradient separately/,
    { mode: 'parameterServer', accumulate: 2, parameterServer: { synchronous: false } },
  ],
])('refused: %s', (message, config) => {
  expect(() => parseConfig(config)).toThrow(message);
});

test.each<[readonly string[], ConfigInput['ddp'], ConfigInput]>([
  [['hook-of-one-rank'], { commHook: { type: 'fp16Compress' } }, { worldSize: 1 }],
  [['hook-of-one-rank'], { commHook: { type: 'localSGD' } }, { worldSize: 1 }],
  [[], { commHook: { type: 'bf16Compress' } }, {}],
  [['local-sgd-period', 'local-sgd-differ'], { commHook: { type: 'localSGD', period: 1 } }, {}],
  [['no-effect-sync-batch-norm'], { syncBatchNorm: true }, {}],
  [[], { syncBatchNorm: true }, { model: NORM }],
])('DDP says %s', (ids, ddp, config) => {
  expect(hookNotices(parseConfig({ ...config, mode: 'ddp', ddp })).map(({ id }) => id)).toEqual(ids);
});

test.each<[readonly string[], ConfigInput]>([
  [['server-alone'], { worldSize: 1 }],
  [['no-effect-staleness'], { parameterServer: { staleness: 3 } }],
  [['asynchronous-differs'], { parameterServer: { synchronous: false } }],
])('the parameter server says %s', (ids, config) => {
  const found = serverNotices({ config: parseConfig({ ...config, mode: 'parameterServer' }), rows: [32] });
  expect(found.map(({ id }) => id)).toEqual(ids);
});
