/** Edits of a draft: each can be undone, and the picture of a draft that cannot run still has times. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { SCHEDULE_NAMES } from '../../protocol/pipeline';
import { action, partsOf } from '../../schedules/cell';
import { printCell } from '../../schedules/cell-text';
import { complaintsOf } from '../../schedules/check-schedule';
import { recognise } from '../../schedules/recognise';
import { makeSchedule, stagesPerRankOf } from '../../schedules/schedule';
import { fromCsv } from '../../schedules/schedule-text';
import {
  actionsText,
  type Draft,
  draftOf,
  emptied,
  inserted,
  moved,
  nextAction,
  redone,
  removed,
  replaced,
  scheduleOfDraft,
  stagesOfRank,
  undone,
} from './draft';
import { pictureOfDraft } from './draft-clock';
import { pictureOfSchedule } from './picture';

const size = { ranks: 3, microBatches: 4 };
const oneF = makeSchedule({ name: '1F1B', stagesPerRank: 1, ...size });
const row = (draft: Draft, rank: number): string => at(draft.orders, rank).map(printCell).join(' ');

test('cells are inserted, removed, exchanged and moved', () => {
  const start = draftOf(oneF);
  expect(row(start, 2)).toBe('2F0 2B0 2F1 2B1 2F2 2B2 2F3 2B3');
  const without = removed(start, { rank: 2, index: 1 });
  expect(row(without, 2)).toBe('2F0 2F1 2B1 2F2 2B2 2F3 2B3');
  expect(complaintsOf(scheduleOfDraft(without)).map(({ message }) => message)).toEqual([
    'rank 2 never runs 2B0 (nor 2I0 and 2W0), which 1B0 of rank 1 needs',
  ]);
  const split = inserted(
    inserted(without, { rank: 2, index: 1 }, action(2, 'I', 0)),
    { rank: 2, index: 3 },
    action(2, 'W', 0),
  );
  expect(row(split, 2)).toBe('2F0 2I0 2F1 2W0 2B1 2F2 2B2 2F3 2B3');
  expect(complaintsOf(scheduleOfDraft(split))).toEqual([]);
  expect(row(replaced(split, { rank: 2, index: 3 }, action(2, 'W', 1)), 2)).toContain('2W1');
  const later = moved(start, { rank: 0, index: 0 }, 3);
  expect(row(later, 0).slice(0, 15)).toBe('0F1 0F2 0B0 0F0');
  expect(complaintsOf(scheduleOfDraft(later)).map(({ kind }) => kind)).toContain('order');
  expect(row(moved(start, { rank: 0, index: 0 }, 99), 0).endsWith('0F0')).toBe(true);
  expect(at(scheduleOfDraft(later).orders, 1)).toBe(at(oneF.orders, 1));
});

test('an edit that changes nothing is not recorded', () => {
  const start = draftOf(oneF);
  expect(moved(start, { rank: 1, index: 2 }, 2)).toBe(start);
  expect(removed(start, { rank: 1, index: 50 })).toBe(start);
  expect(undone(start)).toBe(start);
  expect(redone(start)).toBe(start);
});

test('any edits are undone and redone one by one', () => {
  const edit = fc.tuple(
    fc.constantFrom('insert', 'remove', 'move', 'replace', 'empty'),
    fc.nat(2),
    fc.nat(9),
    fc.nat(9),
  );
  void fc.assert(
    fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
      let draft = draftOf(oneF);
      const states = [draft.orders];
      for (const [kind, rank, index, other] of edits) {
        const cell = action(rank, 'F', other % size.microBatches);
        const place = { rank, index: Math.min(index, at(draft.orders, rank).length) };
        const next =
          kind === 'insert'
            ? inserted(draft, place, cell)
            : kind === 'remove'
              ? removed(draft, place)
              : kind === 'move'
                ? moved(draft, place, other)
                : kind === 'replace'
                  ? replaced(draft, place, cell)
                  : emptied(draft);
        if (next === draft) continue;
        draft = next;
        states.push(draft.orders);
      }
      for (let i = states.length - 1; i >= 0; i--) {
        expect(draft.orders).toEqual(states[i]);
        draft = undone(draft);
      }
      for (let i = 1; i < states.length; i++) {
        draft = redone(draft);
        expect(draft.orders).toEqual(states[i]);
      }
    }),
  );
});

test('a schedule that is typed from nothing is recognised', () => {
  let draft = emptied(draftOf(oneF));
  for (const [rank, order] of makeSchedule({ name: 'GPipe', stagesPerRank: 1, ...size }).orders.entries()) {
    for (const cell of order.flatMap(partsOf)) {
      const next = must(nextAction(draft, rank, cell.kind, undefined), 'an action that is missing');
      draft = inserted(draft, { rank, index: at(draft.orders, rank).length }, next);
    }
  }
  expect(recognise(scheduleOfDraft(draft))).toBe('GPipe');
  expect(nextAction(draft, 0, 'F', undefined)).toBeUndefined();
  // A whole backward leaves no W to add.
  expect(nextAction(draft, 0, 'W', undefined)).toBeUndefined();
});

test('on a rank with several stages the preferred one comes first', () => {
  const draft = emptied(draftOf(makeSchedule({ name: 'LoopedBFS', stagesPerRank: 2, ...size })));
  expect(stagesOfRank(draft, 1)).toEqual([1, 4]);
  expect(nextAction(draft, 1, 'F', 4)).toEqual(action(4, 'F', 0));
  expect(nextAction(draft, 1, 'F', undefined)).toEqual(action(1, 'F', 0));
});

test.each(SCHEDULE_NAMES)('the setting pipeline.actions brings a draft back (%s)', (name) => {
  const schedule = makeSchedule({ name, ranks: 2, stagesPerRank: stagesPerRankOf(name, 1), microBatches: 4 });
  const back = fromCsv(actionsText(draftOf(schedule)));
  expect(back.orders).toEqual(schedule.orders);
  expect(back.rankOfStage).toEqual(schedule.rankOfStage);
});

test.each(SCHEDULE_NAMES)('a draft that can run has the times of the schedule (%s)', (name) => {
  const schedule = makeSchedule({ name, ranks: 4, stagesPerRank: stagesPerRankOf(name, 2), microBatches: 8 });
  const [drafted, timed] = [pictureOfDraft(schedule), pictureOfSchedule(schedule)];
  expect(drafted.rows.map(({ cells }) => cells)).toEqual(timed.rows.map(({ cells }) => cells));
  expect(drafted.rows.map(({ live }) => live)).toEqual(timed.rows.map(({ live }) => live));
  expect(drafted.rows.flatMap(({ gaps }) => gaps.map(({ start, end }) => [start, end]))).toEqual(
    timed.rows.flatMap(({ gaps }) => gaps.map(({ start, end }) => [start, end])),
  );
  expect(drafted.bubble).toBeCloseTo(timed.bubble, 9);
});

test('a draft that cannot run also has a picture: every cell once, in its order', () => {
  const deadlock = fromCsv('0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0');
  const picture = pictureOfDraft(deadlock);
  expect(picture.rows.map(({ cells }) => cells.map(({ action: one }) => printCell(one)).join(' '))).toEqual([
    '0F0 0B0 0F1 0B1',
    '1F1 1B1 1F0 1B0',
  ]);
  for (const { cells } of picture.rows)
    for (const [index, { start }] of cells.slice(1).entries())
      expect(start).toBeGreaterThanOrEqual(at(cells, index).end);
  const nothing = pictureOfDraft(scheduleOfDraft(emptied(draftOf(oneF))));
  expect(nothing.to).toBe(12);
  expect(nothing.bubble).toBe(0);
});
