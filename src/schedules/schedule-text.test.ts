/** What is written is read again, in every form that people write it; what cannot be read is said with its place. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import { action } from './cell';
import { type ActionPair, makeSchedule } from './schedule';
import { fromCsv, parseCell, printCell, toCsv } from './schedule-text';
import { schedulesOfAnySize } from './testing/any-schedule';
import { randomSchedules } from './testing/random-schedule';
import { RECORDED } from './testing/recorded-orders';

test('cells in torch’s text', () => {
  const pair: ActionPair = { pair: [action(0, 'F', 3), action(3, 'B', 1)] };
  expect(parseCell('12I3')).toEqual(action(12, 'I', 3));
  expect(parseCell(' 2b1 ')).toEqual(action(2, 'B', 1));
  expect(parseCell('(0f3; 3B1)overlap_f_b')).toEqual(pair);
  expect(printCell(pair)).toBe('(0F3;3B1)OVERLAP_F_B');
  for (const text of [
    '',
    '0X0',
    'F0',
    '0F',
    '0F-1',
    '-1F0',
    '0F0.5',
    '0SEND_F0',
    '(0F3)OVERLAP_F_B',
    '1e3F0',
    '0F1234567',
  ])
    expect(parseCell(text)).toBeUndefined();
});

test.each(RECORDED)('torch’s rows: $title', ({ size, compute, stageToRank, lowered, executedWithComms }) => {
  const made = makeSchedule(size);
  expect(toCsv(made)).toBe(compute.map((row) => `${row}\n`).join(''));
  const own = { ...made, name: undefined };
  expect(fromCsv(compute.join('\n'))).toEqual(own);
  // Torch's messages and FSDP's calls are left out.
  expect(fromCsv((lowered ?? executedWithComms ?? []).join('\r\n'))).toEqual({ ...own, rankOfStage: stageToRank });
});

test('the CSV of any schedule is read back as the same schedule', () =>
  fc.assert(
    fc.property(fc.oneof(schedulesOfAnySize.map(makeSchedule), randomSchedules()), fc.boolean(), (schedule, comms) => {
      expect(fromCsv(toCsv(schedule, { comms }))).toEqual({ ...schedule, name: undefined });
    }),
  ));

test('idle slots, quotes, spaces, small letters and Windows line ends are accepted', () => {
  const plain = fromCsv('0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n');
  expect(fromCsv('\ufeff"0F0", 0f1,,,"0B0",,0b1\r\n,1F0,\'1B0\',1f1,1B1,,\r\n\r\n')).toEqual(plain);
});

test.each([
  ['', 'it has no rows; it needs one row per rank'],
  ['0F0,0B0\n,,\n1F0,1B0', 'row 2 has no computation: every rank needs at least one stage'],
  ['0F0,0B0\n1F0,1C0', 'row 2, column 2: "1C0" is not an action of a schedule'],
  ['0F0,0F1;0B0', 'row 1, column 2: "0F1;0B0" is several cells; separate cells by commas'],
  ['0F0\t0B0', 'row 1, column 1: "0F0\t0B0" is several cells; separate cells by commas'],
  ['0F0 0B0', 'row 1, column 1: "0F0 0B0" is several cells; separate cells by commas'],
  ['0F0,(0F1;0B0)OVERLAP', 'row 1, column 2: "(0F1;0B0)OVERLAP" is not an action of a schedule'],
  ['0F0,9999F9999', '10000 stages times 10000 micro-batches exceed 65,536'],
  [',__proto__', 'row 1, column 2: "__proto__" is not an action of a schedule'],
])('refuses %j', (text, message) => {
  expect(() => fromCsv(text)).toThrow(`the CSV of the schedule cannot be read: ${message}`);
});

test('a refusal has row and column, and says how cells are written', () => {
  let refusal: unknown;
  try {
    fromCsv(`0F0,0B0\n1F0,${'x'.repeat(5000)}`);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toBeInstanceOf(LockstepError);
  expect(refusal).toMatchObject({
    code: 'schedule',
    details: { row: 2, column: 2 },
    hint: expect.stringContaining('0F0'),
  });
  expect((refusal as LockstepError).message.length).toBeLessThan(250);
});

test('a stage is on the rank with most of its cells; a stage without cells is where a loop would put it', () => {
  expect(fromCsv('0F0,3F0,3B0,0B0\n1F0,2F0,2B0,1B0').rankOfStage).toEqual([0, 1, 1, 0]);
  expect(fromCsv('0F0,0B0,1F0\n1B0,1F1,1B1').rankOfStage).toEqual([0, 1]);
  expect(fromCsv('0F0,0B0\n3F0,3B0').rankOfStage).toEqual([0, 1, 0, 1]);
});
