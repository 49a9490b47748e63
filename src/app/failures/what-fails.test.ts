/** The failures panel's options in each mode, from runs that have begun. */
import { expect, test } from 'vitest';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import { whatFails } from './what-fails';

async function failing(config: ConfigInput) {
  const { info } = await runConfig({ device: 'cpu', steps: 1, data: { type: 'xor', samples: 16 }, ...config }, {});
  return whatFails(info.config.mode, info);
}

test('each rank of DDP can fail alone', async () => {
  expect(await failing({ mode: 'ddp', worldSize: 2 })).toEqual({ names: ['rank 0', 'rank 1'], alone: true, about: '' });
  expect(await failing({ mode: 'ddp', worldSize: 1 })).toMatchObject({ names: ['rank 0'], alone: true });
});

test('the server and each worker can fail alone, and the panel names them', async () => {
  const found = await failing({ mode: 'parameterServer', worldSize: 3 });
  expect(found).toMatchObject({ names: ['server', 'worker 1', 'worker 2'], alone: true });
  expect(found.about).toMatch(/^Over torch\.distributed\.rpc/);
});

test('one process fails as a whole', async () => {
  const found = await failing({ mode: 'dataParallel', worldSize: 2 });
  expect(found).toMatchObject({ names: ['cuda:0', 'cuda:1'], alone: false });
  expect(found.about).toMatch(/^One process drives all devices/);
  expect(await failing({ mode: 'single' })).toEqual({ names: ['cuda:0'], alone: false, about: '' });
  expect(await failing({ mode: 'parameterServer', worldSize: 1 })).toMatchObject({ alone: false });
});
