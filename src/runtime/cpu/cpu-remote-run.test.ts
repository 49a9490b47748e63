/** A lane sends all messages that it can, and only then wakes the peer that receives them. */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { PROGRAM_OPS } from '../../parallel/modes';
import type { Transport } from '../executor';
import { createTableFeed } from '../launch/table-feed';
import { smallWorld } from '../launch/testing/small-world';
import { createCpuExecutor, REMOTE } from './cpu-executor';

test.each([
  ['all messages come at once', Number.POSITIVE_INFINITY, 'put wake, put put put wake'],
  ['one message comes at a time', 1, 'put wake, put wake, put wake, put wake, '],
])('%s', async (_, atATime, expected) => {
  await REMOTE.load();
  const small = smallWorld('ddp', 3);
  const log: string[] = [];
  let here = 0;
  const wire: Transport = {
    send: () => log.push('send'),
    recv: () => Promise.reject(new Error('recv')),
    put: () => log.push('put') > 0,
    wake: () => {
      if (log.at(-1) === 'put') log.push('wake');
    },
    take: (_from, _to, _tag, space) => (here-- > 0 ? space?.data : undefined),
    block: () => {
      here = atATime;
      log.push('block');
      return true;
    },
  };
  const executor = createCpuExecutor({ programs: small.programs, devices: [0], ops: PROGRAM_OPS, transport: wire });
  const step = at(small.steps(0, 1), 0);
  expect(executor.step(step.program, createTableFeed(small.table)(step))).toBeUndefined();
  expect(log.join(' ').replaceAll(/ block ?/g, ', ')).toBe(expected);
  executor.dispose();
});
