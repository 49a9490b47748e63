/** Typing a schedule: letters, numbers, moving, undoing, and the caret's place after each. */
import { expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { partsOf } from '../../schedules/cell';
import { printCell } from '../../schedules/cell-text';
import { complaintsOf } from '../../schedules/check-schedule';
import { recognise } from '../../schedules/recognise';
import { makeSchedule } from '../../schedules/schedule';
import { fromCsv, toCsv } from '../../schedules/schedule-text';
import { draftOf, emptied, scheduleOfDraft } from './draft';
import { commandOf, type Editing, obey, type PressedKey } from './edit-draft';

const PLAIN = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };
const ALT = { ...PLAIN, altKey: true };
const CTRL = { ...PLAIN, ctrlKey: true };

const empty: Editing = {
  draft: emptied(draftOf(makeSchedule({ name: '1F1B', ranks: 2, stagesPerRank: 1, microBatches: 12 }))),
  caret: { rank: 0, index: 0 },
  typing: undefined,
  stage: undefined,
  refusal: '',
};

const press = (editing: Editing, pressed: PressedKey): Editing =>
  obey(editing, must(commandOf(pressed), `a command of ${pressed.key}`));
const type = (editing: Editing, keys: string): Editing =>
  [...keys].reduce((now, key) => press(now, { ...PLAIN, key }), editing);
const row = ({ draft }: Editing, rank = 0): string => at(draft.orders, rank).map(printCell).join(' ');

test('a letter inserts the next micro-batch, and digits after it set its number', () => {
  expect(row(type(empty, 'fff'))).toBe('0F0 0F1 0F2');
  expect(row(type(empty, 'f7f'))).toBe('0F7 0F0');
  expect(row(type(empty, 'f11b0'))).toBe('0F11 0B0');
  // Micro-batch 12 does not exist among 12, so the 2 starts a new number.
  expect(row(type(empty, 'f12'))).toBe('0F2');
  expect(type(empty, 'ff').caret).toEqual({ rank: 0, index: 2 });
});

test('typed cells are inserted before the caret', () => {
  const written = { ...type(empty, 'ff'), caret: { rank: 0, index: 1 } };
  const more = type(written, 'b');
  expect(row(more)).toBe('0F0 0B0 0F1');
  expect(more.caret.index).toBe(2);
  expect(row(press(more, { ...PLAIN, key: 'Backspace' }))).toBe('0F0 0F1');
  expect(row(press(more, { ...PLAIN, key: 'Delete' }))).toBe('0F0 0B0');
  // A number without a letter changes the cell at the caret.
  const renumbered = press({ ...more, typing: undefined }, { ...PLAIN, key: '5' });
  expect(row(renumbered)).toBe('0F0 0B0 0F5');
});

test('Alt and an arrow move a cell, the caret stays on it', () => {
  const written = { ...type(empty, 'fff'), caret: { rank: 0, index: 2 } };
  const once = press(written, { ...ALT, key: 'ArrowLeft' });
  expect([row(once), once.caret.index]).toEqual(['0F0 0F2 0F1', 1]);
  const back = press(once, { ...ALT, key: 'ArrowRight' });
  expect([row(back), back.caret.index]).toEqual(['0F0 0F1 0F2', 2]);
  expect(row(press(back, { ...ALT, key: 'ArrowRight' }))).toBe('0F0 0F1 0F2');
});

test('each key is undone separately', () => {
  const written = type(empty, 'f3b');
  const undo = { ...CTRL, key: 'z' };
  expect(row(press(written, undo))).toBe('0F3');
  expect(row(press(press(written, undo), undo))).toBe('0F0');
  expect(row(press(press(written, undo), { ...CTRL, key: 'y' }))).toBe('0F3 0B0');
  expect(row(press(press(written, undo), { ...CTRL, shiftKey: true, key: 'Z' }))).toBe('0F3 0B0');
  expect(press(written, undo).caret.index).toBeLessThanOrEqual(1);
  const bottom = press(press(press(written, undo), undo), undo);
  expect(row(bottom)).toBe('');
  expect(press(press(bottom, undo), undo).refusal).toBe('There is nothing to undo.');
});

test('a cell that the row already has is refused with a sentence', () => {
  const full = type(empty, 'f'.repeat(12));
  expect(type(full, 'f').refusal).toBe('Rank 0 has the forward pass of every micro-batch already.');
  expect(row(type(full, 'f'))).toBe(row(full));
  const small: Editing = {
    ...empty,
    draft: emptied(draftOf(makeSchedule({ name: 'GPipe', ranks: 1, stagesPerRank: 1, microBatches: 3 }))),
  };
  expect(type(small, 'f9').refusal).toBe('Micro-batches are numbered from 0 to 2.');
});

test('keys of the page are left alone', () => {
  expect(commandOf({ ...CTRL, key: 'c' })).toBeUndefined();
  expect(commandOf({ ...PLAIN, key: 'ArrowLeft' })).toBeUndefined();
  expect(commandOf({ ...PLAIN, key: 'Tab' })).toBeUndefined();
});

test('GPipe, typed', () => {
  const first = type(empty, `${'f'.repeat(12)}${'b'.repeat(12)}`);
  expect(complaintsOf(scheduleOfDraft(first.draft)).length).toBeGreaterThan(0);
  const both = type({ ...first, caret: { rank: 1, index: 0 } }, `${'f'.repeat(12)}${'b'.repeat(12)}`);
  expect(recognise(scheduleOfDraft(both.draft))).toBe('GPipe');
});

test('O pairs a forward and a backward, the forward first, and takes the pair apart', () => {
  const schedule = makeSchedule({ name: 'DualPipeV', ranks: 2, stagesPerRank: 2, microBatches: 4 });
  const blank: Editing = { ...empty, draft: emptied(draftOf(schedule)) };
  const typed = type(blank, 'f1b0o');
  expect(row(typed)).toBe('(0F1;0B0)OVERLAP_F_B');
  expect(typed.caret.index).toBe(1);
  expect(row(type(typed, 'o'))).toBe('0F1 0B0');
  expect(type({ ...typed, caret: { rank: 0, index: 0 } }, '3').refusal).toMatch(/Take the pair apart/);
  expect(row(type(blank, 'b0f1o'))).toBe('(0F1;0B0)OVERLAP_F_B');
  expect(type(blank, 'fwo').refusal).toBe('A pair is a forward pass (F) and a backward pass (B or I), not F and W.');
  expect(type(blank, 'fo').refusal).toMatch(/two single cells/);
  expect(row(press(typed, { ...CTRL, key: 'z' }))).toBe('0F1 0B0');
});

test('all of DualPipeV can be typed, and is recognised', () => {
  const schedule = makeSchedule({ name: 'DualPipeV', ranks: 2, stagesPerRank: 2, microBatches: 4 });
  let editing: Editing = { ...empty, draft: emptied(draftOf(schedule)) };
  for (const [rank, order] of schedule.orders.entries()) {
    editing = { ...editing, caret: { rank, index: 0 } };
    for (const cell of order) {
      const parts = partsOf(cell);
      for (const { stage, kind, microBatch } of parts) editing = type({ ...editing, stage }, `${kind}${microBatch}`);
      if (parts.length === 2) editing = type(editing, 'o');
    }
  }
  const written = scheduleOfDraft(editing.draft);
  expect(complaintsOf(written)).toEqual([]);
  expect(written.orders).toEqual(schedule.orders);
  expect(recognise(written)).toBe('DualPipeV');
  expect(fromCsv(toCsv(written)).orders).toEqual(schedule.orders);
});
