/** `threads`: a whole run has the same bits with several threads of the CPU device, in every mode and placement. */
import { expect, it } from 'vitest';
import type { ConfigInput } from '../protocol/config';
import { runConfig } from './run';

/** Large enough for the kernels of WebAssembly. */
const NET: ConfigInput = {
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 96 },
      { type: 'GELU' },
      { type: 'LayerNorm', features: 96 },
      { type: 'Linear', in: 96, out: 64 },
      { type: 'ReLU' },
      { type: 'Linear', in: 64, out: 1 },
    ],
  },
  batchSize: 64,
  steps: 3,
  device: 'cpu',
  compareSingle: false,
  optimizer: { type: 'Adam' },
};

it.each([
  ['single', { mode: 'single', worldSize: 1 }],
  ['DDP on one memory', { mode: 'ddp', worldSize: 2, placement: 'shared' }],
  ['DDP, an executor for each rank', { mode: 'ddp', worldSize: 2, placement: 'workers' }],
] as const)('%s', async (_, setting) => {
  const [one, three] = await Promise.all([1, 3].map((threads) => runConfig({ ...NET, ...setting, threads }, {})));
  expect(three?.report.weightsSha256).toBe(one?.report.weightsSha256);
  expect(three?.report.losses).toEqual(one?.report.losses);
});
