/**
 * The editor's commands: what a key or a button changes in a draft at the caret, and where the caret is afterwards. As
 * in a text, the caret is on a cell or after the last cell of its row, and typed cells are inserted before it. Pure.
 */
import { at } from '../../base/invariant';
import { COMPUTATIONS, type Computation, type PipelineAction } from '../../protocol/pipeline';
import { isPair, partsOf } from '../../schedules/cell';
import type { ActionPlace } from '../../schedules/dependencies';
import { type Draft, inserted, moved, nextAction, pairedOrApart, redone, removed, replaced, undone } from './draft';

export interface Editing {
  readonly draft: Draft;
  readonly caret: ActionPlace;
  /** The cell that typed digits change, and the digits typed so far. */
  readonly typing: { readonly place: ActionPlace; readonly digits: string } | undefined;
  /** For a rank with several stages, the stage of typed cells; undefined: the stage of the cell before the caret. */
  readonly stage: number | undefined;
  /** Which command was refused, and why; '' if none was. */
  readonly refusal: string;
}

export type DraftCommand =
  | { readonly type: 'insert'; readonly kind: Computation }
  | { readonly type: 'digit'; readonly digit: string }
  | { readonly type: 'delete' | 'backspace' | 'earlier' | 'later' | 'pair' | 'undo' | 'redo' };

export interface PressedKey {
  readonly key: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

export function commandOf({ key, altKey, ctrlKey, metaKey, shiftKey }: PressedKey): DraftCommand | undefined {
  const letter = key.toUpperCase();
  if (ctrlKey || metaKey) {
    if (letter === 'Z') return { type: shiftKey ? 'redo' : 'undo' };
    return letter === 'Y' ? { type: 'redo' } : undefined;
  }
  if (altKey) {
    if (key === 'ArrowLeft') return { type: 'earlier' };
    return key === 'ArrowRight' ? { type: 'later' } : undefined;
  }
  const kind = COMPUTATIONS.find((one) => one === letter);
  if (kind) return { type: 'insert', kind };
  if (/^\d$/.test(key)) return { type: 'digit', digit: key };
  if (letter === 'O') return { type: 'pair' };
  if (key === 'Delete') return { type: 'delete' };
  return key === 'Backspace' ? { type: 'backspace' } : undefined;
}

const lengthOf = (draft: Draft, rank: number): number => at(draft.orders, rank).length;

const within = (draft: Draft, { rank, index }: ActionPlace): ActionPlace => ({
  rank,
  index: Math.max(0, Math.min(index, lengthOf(draft, rank))),
});

export function obey(editing: Editing, command: DraftCommand): Editing {
  const { draft, caret } = editing;
  const now: Editing = { ...editing, refusal: '', typing: undefined };
  switch (command.type) {
    case 'insert':
      return insert(now, command.kind);
    case 'digit':
      return number({ ...now, typing: editing.typing }, command.digit);
    case 'delete':
      return { ...now, draft: removed(draft, caret) };
    case 'backspace': {
      if (caret.index === 0) return now;
      const before = { ...caret, index: caret.index - 1 };
      return { ...now, draft: removed(draft, before), caret: before };
    }
    case 'earlier':
    case 'later':
      return shift(now, command.type === 'later' ? 1 : -1);
    case 'pair':
      return pair(now);
    case 'undo':
    case 'redo': {
      const next = command.type === 'undo' ? undone(draft) : redone(draft);
      const refusal = next === draft ? `There is nothing to ${command.type}.` : '';
      return { ...now, draft: next, caret: within(next, caret), refusal };
    }
  }
}

/** The stage of the cell before the caret (of a pair, its last part). */
function stageHere({ draft, caret, stage }: Editing): number | undefined {
  if (stage !== undefined && draft.size.rankOfStage[stage] === caret.rank) return stage;
  const cell = at(draft.orders, caret.rank)[caret.index - 1];
  return cell && partsOf(cell).at(-1)?.stage;
}

const KIND_WORDS: Readonly<Record<Computation, string>> = {
  F: 'forward pass',
  B: 'backward pass (B, or I and W)',
  I: 'I, or B in its place,',
  W: 'W, or B in its place,',
};

function insert(editing: Editing, kind: Computation): Editing {
  const { draft, caret } = editing;
  const cell = nextAction(draft, caret.rank, kind, stageHere(editing));
  if (!cell) {
    const refusal = `Rank ${caret.rank} has the ${KIND_WORDS[kind]} of every micro-batch already.`;
    return { ...editing, refusal };
  }
  return {
    ...editing,
    draft: inserted(draft, caret, cell),
    caret: { ...caret, index: caret.index + 1 },
    typing: { place: caret, digits: '' },
  };
}

/**
 * Adds a digit to the cell typed last, else to the cell at the caret; if the number becomes too large, the digit starts
 * a new one.
 */
function number(editing: Editing, digit: string): Editing {
  const { draft, caret, typing } = editing;
  const place = typing?.place ?? caret;
  const cell = at(draft.orders, place.rank)[place.index];
  if (!cell) return { ...editing, typing: undefined };
  if (isPair(cell))
    return { ...editing, typing: undefined, refusal: 'Take the pair apart (key O) to change its micro-batches.' };
  const most = draft.size.microBatches - 1;
  const digits = [`${typing?.digits ?? ''}${digit}`, digit].find((text) => Number(text) <= most);
  if (digits === undefined)
    return { ...editing, typing: undefined, refusal: `Micro-batches are numbered from 0 to ${most}.` };
  const next: PipelineAction = { ...cell, microBatch: Number(digits) };
  return { ...editing, draft: replaced(draft, place, next), typing: { place, digits } };
}

/** Pairs the cell at the caret with the next one; after a row's last cell, the two typed last. */
function pair(editing: Editing): Editing {
  const { draft, caret } = editing;
  const length = lengthOf(draft, caret.rank);
  const last = at(draft.orders, caret.rank)[length - 1];
  const fromEnd = last && isPair(last) ? 1 : 2;
  const index = caret.index < length ? caret.index : Math.max(0, length - fromEnd);
  const next = pairedOrApart(draft, { ...caret, index });
  if (typeof next === 'string') return { ...editing, refusal: next };
  return {
    ...editing,
    draft: next,
    caret: caret.index < length ? caret : { ...caret, index: lengthOf(next, caret.rank) },
  };
}

function shift(editing: Editing, by: 1 | -1): Editing {
  const { draft, caret } = editing;
  const index = caret.index + by;
  if (index < 0 || index >= lengthOf(draft, caret.rank) || caret.index >= lengthOf(draft, caret.rank)) return editing;
  return { ...editing, draft: moved(draft, caret, index), caret: { ...caret, index } };
}
