/** Rows of the batch are counted once, however many devices work on the same rows. */
import { expect, test } from 'vitest';
import { mlpLayers } from '../../protocol/presets';
import { openTestSession } from '../../session/testing/open-session';
import { rowsOf } from './readings';

const RUN = {
  device: 'cpu',
  compareSingle: false,
  model: { layers: mlpLayers([2, 8, 4, 1], 'Tanh') },
  data: { type: 'xor', samples: 64 },
  batchSize: 16,
} as const;

test.for([
  { name: 'DDP', config: { ...RUN, mode: 'ddp', worldSize: 4 } },
  { name: 'model parallelism', config: { ...RUN, mode: 'modelParallel', worldSize: 2 } },
  { name: 'a tensor group', config: { ...RUN, mode: 'tensor', worldSize: 2 } },
  {
    name: 'replicas of tensor groups',
    config: { ...RUN, mode: 'tensor', worldSize: 4, mesh: { tp: 2, dpReplicate: 2 } },
  },
  { name: 'stages of tensor groups', config: { ...RUN, mode: 'pipeline', worldSize: 4, mesh: { pp: 2, tp: 2 } } },
] as const)('$name: each row of the batch counts once', async ({ config }) => {
  const session = await openTestSession(config);
  const rows = rowsOf(session.info);
  await session.close();
  expect(rows * session.info.config.accumulate).toBe(16);
});
