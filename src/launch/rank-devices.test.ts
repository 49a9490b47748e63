/** CUDA_VISIBLE_DEVICES and adapters: each rank's device, impossible settings, and each process's environment. */
import { describe, expect, test } from 'vitest';
import { configNotices } from '../config/config-notices';
import { parseConfig } from '../config/parse-config';
import { PARALLEL_MODES } from '../parallel/modes';
import type { ConfigInput } from '../protocol/config';
import { rankDevices } from './rank-devices';
import { rankEnvironments } from './rank-environments';

const ddp = (input: ConfigInput) => parseConfig({ mode: 'ddp', ...input });

describe('devices', () => {
  test.each<[string, ConfigInput, readonly number[]]>([
    ['all', { worldSize: 3 }, [0, 1, 2]],
    ['in the order given', { worldSize: 2, visibleDevices: [3, 1, 7] }, [3, 1]],
    ['of each node', { worldSize: 4, nodes: 2, visibleDevices: [5, 2] }, [5, 2, 5, 2]],
    ['of one process with several devices', { worldSize: 2, mode: 'dataParallel', visibleDevices: [4, 0] }, [4, 0]],
  ])('%s', (_, input, expected) => {
    expect(rankDevices(ddp(input)).map(({ ordinal }) => ordinal)).toEqual(expected);
  });

  test('an adapter is a device of a machine: what is visible picks among them', () => {
    const config = ddp({
      worldSize: 2,
      placement: 'workers',
      adapters: ['highPerformance', 'lowPower', 'cpu'],
      visibleDevices: [2, 0],
    });
    expect(rankDevices(config).map(({ adapter }) => adapter)).toEqual(['cpu', 'highPerformance']);
    const nodes = ddp({
      worldSize: 4,
      nodes: 2,
      placement: 'workers',
      adapters: ['software', 'cpu', 'lowPower', 'cpu'],
    });
    expect(rankDevices(nodes).map(({ adapter }) => adapter)).toEqual(['software', 'cpu', 'lowPower', 'cpu']);
  });

  test.each<[string, ConfigInput, string, string]>([
    [
      'too few',
      { worldSize: 4, visibleDevices: [0, 1] },
      'CUDA error: invalid device ordinal: local rank 2',
      'as many devices',
    ],
    ['none', { worldSize: 2, visibleDevices: [] }, 'CUDA error: invalid device ordinal', 'visible'],
    [
      'one that is not there',
      { worldSize: 2, placement: 'workers', adapters: ['cpu', 'cpu'], visibleDevices: [0, 2] },
      'takes device 2, but adapters lists 2',
      'adapter',
    ],
    ['twice the same', { worldSize: 2, visibleDevices: [1, 1] }, 'twice', 'once'],
    ['on one device', { worldSize: 2, adapters: ['cpu', 'cpu'] }, 'placement is "shared"', 'workers'],
    [
      'uneven',
      { worldSize: 2, nodes: 2, placement: 'workers', adapters: ['cpu', 'cpu', 'cpu'] },
      'cannot be divided evenly',
      'each node',
    ],
  ])('%s is refused', (_, input, message, hint) => {
    expect(() => ddp(input)).toThrowError(
      expect.objectContaining({
        code: 'placement',
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      }),
    );
  });

  test('a notice for settings without effect on the numbers, and for those that may have one', () => {
    const ids = (input: ConfigInput) => configNotices(ddp(input), PARALLEL_MODES.ddp).map(({ id }) => id);
    expect(ids({ worldSize: 2, visibleDevices: [2, 3] })).toContain('visible-devices');
    const mixed = ids({ worldSize: 2, placement: 'workers', adapters: ['cpu', 'lowPower'], device: 'cpu' });
    expect(mixed).toEqual(expect.arrayContaining(['adapters-device', 'adapters-differ']));
    expect(ids({ worldSize: 2 }).filter((id) => /device|adapter/.test(id))).toEqual([]);
  });
});

test('each process has the variables that torchrun sets', () => {
  const all = rankEnvironments(ddp({ worldSize: 4, nodes: 2, visibleDevices: [1, 0] }));
  expect(all.map((e) => [e.RANK, e.LOCAL_RANK, e.GROUP_RANK, e.LOCAL_WORLD_SIZE])).toEqual([
    [0, 0, 0, 2],
    [1, 1, 0, 2],
    [2, 0, 1, 2],
    [3, 1, 1, 2],
  ]);
  expect(all[3]).toMatchObject({
    WORLD_SIZE: 4,
    MASTER_ADDR: 'node0',
    MASTER_PORT: 40_001,
    CUDA_VISIBLE_DEVICES: '1,0',
  });
  expect(rankEnvironments(ddp({ mode: 'dataParallel', worldSize: 3 }))).toMatchObject([
    { RANK: 0, WORLD_SIZE: 1, MASTER_ADDR: '127.0.0.1' },
  ]);
});
