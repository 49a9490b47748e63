/** What is wrong with a schedule is found and said with ranks and actions; what torch runs is not complained of. */
import { expect, test } from 'vitest';
import { checkSchedule, complaintsOf } from './check-schedule';
import { makeSchedule, type Schedule } from './schedule';
import { fromCsv, parseCell } from './schedule-text';
import { RECORDED } from './testing/recorded-orders';

test.each(RECORDED)('can run: $title', ({ size }) => {
  expect(complaintsOf(makeSchedule(size))).toEqual([]);
});

const said = (csv: string): readonly string[] => complaintsOf(fromCsv(csv)).map(({ message }) => message);

test('two ranks that wait for each other', () => {
  const schedule = fromCsv('0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0');
  const [complaint, ...others] = complaintsOf(schedule);
  expect(others).toEqual([]);
  expect(complaint).toMatchObject({
    kind: 'deadlock',
    rank: 0,
    index: 1,
    cell: parseCell('0B0'),
    missing: parseCell('1B0'),
    circle: [
      { rank: 0, index: 1, waitsFor: parseCell('1B0') },
      { rank: 1, index: 0, waitsFor: parseCell('0F1') },
    ],
  });
  expect(() => checkSchedule(schedule)).toThrow(
    'the schedule cannot run: deadlock: rank 0 waits at 0B0 for 1B0 of rank 1, which comes after 1F1 there; ' +
      'rank 1 waits at 1F1 for 0F1 of rank 0, which comes after 0B0 there',
  );
});

test('a pair starts when both its inputs are there, so its forward cannot be what the other rank waits for', () => {
  // Apart, 0F1 and 0B0 run; as a pair they wait for 1B0, which waits for 0F1.
  expect(said('0F0,0F1,0B0,0B1\n1F0,1F1,1B0,1B1')).toEqual([]);
  expect(said('0F0,(0F1;0B0)OVERLAP_F_B,0B1\n1F0,1F1,1B0,1B1')).toEqual([
    'deadlock: rank 0 waits at (0F1;0B0)OVERLAP_F_B for 1B0 of rank 1, which comes after 1F1 there; ' +
      'rank 1 waits at 1F1 for 0F1 of rank 0, which is part of (0F1;0B0)OVERLAP_F_B there',
  ]);
  expect(said('(0F0;0B0)OVERLAP_F_B')).toEqual([
    'rank 0 pairs (0F0;0B0)OVERLAP_F_B (cell 1), but the two passes start together, so neither may need the result of the other',
  ]);
});

test.each([
  ['0F0,0F1,0B0', ['rank 0 never runs 0B1 (nor 0I1 and 0W1)']],
  ['0F0,0I0,0W0,0F1,0I1', ['rank 0 never runs 0W1, the other half of 0I1']],
  ['0F0,0W0', ['rank 0 never runs 0I0, the other half of 0W0']],
  ['0F0,0B0,1F0,1B0', ['rank 0 runs 0B0 (cell 2) before 1B0 (cell 4), which 0B0 needs']],
  ['0F0,1F0,1B0,0B0,0B0', ['0B0 runs twice: rank 0 at cell 4 and rank 0 at cell 5']],
  ['0F0,0B0,0I0,0W0', ['the schedule has both 0B0 and 0I0: a backward is either whole (B) or split (I and W)']],
  [
    '0F0,1F1,0F1,0B0,0B1\n1F0,1B0,1B1',
    [
      'rank 0 runs 1F1 (cell 2), but stage 1 is on rank 1',
      'rank 0 runs 1F1 (cell 2) before 0F1 (cell 3), which 1F1 needs',
    ],
  ],
  ['0F0,0B0\n2F0,2B0\n1F0', ['rank 2 never runs 1B0 (nor 1I0 and 1W0), which 0B0 of rank 0 needs']],
  ['0F0,0B0\n1B0', ['rank 1 never runs 1F0, which 1B0 of rank 1 needs']],
  ['0B0\n1F0,1B0', ['rank 0 never runs 0F0, which 1F0 of rank 1 needs']],
  [
    '0F0,0B0\n2F0,2B0',
    [
      'rank 1 never runs 1F0, which 2F0 of rank 1 needs',
      'rank 1 never runs 1B0 (nor 1I0 and 1W0), which 0B0 of rank 0 needs',
    ],
  ],
  [
    '0F0\n0B0',
    [
      'rank 1 has no stage: every rank of a pipeline needs at least one',
      'rank 1 runs 0B0 (cell 1), but stage 0 is on rank 0',
    ],
  ],
])('%s', (csv, messages) => {
  expect(said(csv)).toEqual(messages);
});

test('of many errors the first are listed and the others are counted', () => {
  const complaints = complaintsOf(fromCsv('0F0,0F99'));
  expect(complaints.map(({ message }) => message)).toContain('rank 0 never runs 0F9');
  expect(complaints).toHaveLength(21);
  expect(complaints.at(-1)).toMatchObject({ kind: 'more', message: 'and 178 more' });
});

test('a schedule that does not fit its own numbers', () => {
  const made = makeSchedule({ name: 'GPipe', ranks: 2, stagesPerRank: 1, microBatches: 2 });
  const complaints = (change: Partial<Schedule>): readonly string[] =>
    complaintsOf({ ...made, ...change }).map(({ kind }) => kind);
  expect(complaints({ ranks: 3 })).toEqual(['size']);
  expect(complaints({ rankOfStage: [0, 7] })).toEqual(['size']);
  expect(complaints({ microBatches: 1 })).toEqual(['range', 'range', 'range', 'range']);
});

test.each(RECORDED.filter(({ printed }) => printed))(
  '1F1B as torch prints it is known from 1F1B as it runs: $title',
  ({ size, printed }) => {
    const schedule = fromCsv((printed ?? []).join('\n'));
    expect(() => checkSchedule(schedule)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`rank 0 never runs 0F${size.microBatches}`),
        hint: expect.stringMatching(/^This is 1F1B as torch 2.13 prints it/),
      }),
    );
    expect(() => checkSchedule(fromCsv('0F0,0F1,0B0'))).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^Every rank runs/) }),
    );
  },
);
