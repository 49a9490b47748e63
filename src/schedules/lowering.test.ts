/** Sends and receives are where torch has them, and FSDP's calls. */
import { expect, test } from 'vitest';
import { printLowered } from './lowered-cell';
import { lower } from './lowering';
import { makeSchedule } from './schedule';
import { toCsv } from './schedule-text';
import { RECORDED } from './testing/recorded-orders';

test.each(RECORDED)('as torch executes it: $title', ({ size, lowered, executedWithComms }) => {
  const rows = lower(makeSchedule(size)).map((order) => order.map(printLowered).join(','));
  expect(rows).toEqual(lowered ?? executedWithComms);
});

test('the CSV with messages has computations, sends and receives', () => {
  const schedule = makeSchedule({ name: 'InterleavedZeroBubble', ranks: 2, stagesPerRank: 1, microBatches: 2 });
  expect(toCsv(schedule, { comms: true })).toBe(
    '0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0I0,0W0,0RECV_B1,0I1,0W1\n' +
      '1RECV_F0,1F0,1RECV_F1,1I0,1SEND_B0,1F1,1I1,1SEND_B1,1W0,1W1\n',
  );
});
