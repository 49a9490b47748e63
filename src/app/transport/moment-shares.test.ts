import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { openTestSession } from '../../session/testing/open-session';
import { byMoments } from '../../trace/moments/moments';
import { traceOf } from '../testing/trace-of';
import { momentShares } from './moment-shares';

test('every moment of a real step has its share of the time, however many ranks are in it', async () => {
  const session = await openTestSession({
    device: 'cpu',
    mode: 'ddp',
    worldSize: 3,
    data: { type: 'xor', samples: 24 },
    batchSize: 12,
    compareSingle: false,
  });
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  const shares = momentShares(trace);
  expect(shares.moments).toBe(trace.moments.length);
  const seconds = trace.moments.map(({ events }) => events.reduce((sum, e) => sum + 1 / shares.rateAt(e), 0));
  expect(seconds.reduce((a, b) => a + b)).toBeCloseTo(1);
  const of = (kind: string) => seconds.filter((_, index) => trace.moments[index]?.kind === kind);
  const [round] = of('round');
  for (const other of [...of('round'), ...of('compute')]) expect(other).toBeCloseTo(must(round, 'a round'));
  for (const copy of of('copy')) expect(copy).toBeCloseTo(must(round, 'a round') / 2);
  // Only a part of it: the moments of that part.
  const half = momentShares(trace, must(trace.moments[4], 'a moment').events[0] ?? 0);
  expect(half.moments).toBe(5);
});

test('without moments each event is one', () => {
  const { moments, rateAt } = momentShares(traceOf(0, 8));
  expect([moments, rateAt(3)]).toEqual([8, 8]);
});
