/** Settings about failures that do nothing, or not what they seem, get a notice. */
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { failureNotices } from './failure-notices';

const rank = (n: number) => ({ type: 'rank', rank: n, factor: 3 }) as const;

test.each<[ConfigInput, number, readonly string[]]>([
  [{ mode: 'ddp', worldSize: 2, placement: 'workers', stragglers: [rank(1)] }, 2, []],
  [{ mode: 'ddp', worldSize: 2, placement: 'workers', stragglers: [rank(2)] }, 2, ['straggler-absent']],
  [{ mode: 'ddp', worldSize: 2, stragglers: [rank(0)] }, 2, ['straggler-modelled']],
  [
    { mode: 'ddp', worldSize: 2, placement: 'workers', stragglers: [{ type: 'link', from: 1, to: 1, factor: 2 }] },
    2,
    ['straggler-absent'],
  ],
  [
    {
      mode: 'ddp',
      worldSize: 2,
      placement: 'workers',
      stragglers: [
        { type: 'link', from: 1, to: 0, factor: 2 },
        { type: 'link', from: 0, to: 1, factor: 2 },
      ],
    },
    2,
    ['straggler-unused'],
  ],
  [{ mode: 'single', timeoutS: 5 }, 1, ['timeout-unused']],
  [{ mode: 'ddp', worldSize: 2, timeoutS: 5 }, 2, []],
])('%j', (input, devices, ids) => {
  const config = parseConfig(input);
  const processes = config.mode === 'ddp' ? devices : 1;
  expect(failureNotices(config, { devices, processes, links: new Set(['1 0']) }).map(({ id }) => id)).toEqual(ids);
});
