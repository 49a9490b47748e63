/**
 * The editor's state: the draft (a slice of the store), the caret with the digits being typed, and the focused item.
 * edit-draft.ts applies the commands. Used by editor.tsx.
 */
import { useMemo, useState } from 'react';
import type { ActionPlace } from '../../schedules/dependencies';
import type { Schedule } from '../../schedules/schedule';
import { writeSlice } from '../state/store-slice';
import { useAppStore, useSlice } from '../state/use-app';
import { type Draft, draftOf, scheduleOfDraft } from './draft';
import { pictureOfDraft } from './draft-clock';
import { DRAFT } from './draft-slice';
import { type DraftCommand, type Editing, obey } from './edit-draft';
import type { Picture } from './picture';
import { cellId, endId, findItem, itemsOf, type PictureItem } from './picture-items';

const AT_START: Omit<Editing, 'draft'> = {
  caret: { rank: 0, index: 0 },
  typing: undefined,
  stage: undefined,
  refusal: '',
};

export interface EditingHands {
  readonly editing: Editing;
  readonly schedule: Schedule;
  readonly picture: Picture;
  readonly items: readonly (readonly PictureItem[])[];
  readonly focused: string | undefined;
  /** The gap whose reason is shown. */
  readonly asked: PictureItem | undefined;
  /** Replaces the draft; the caret stays. */
  keep(draft: Draft): void;
  /** Replaces the draft and moves the caret to its beginning. */
  begin(draft: Draft): void;
  command(command: DraftCommand): void;
  /** Chooses the rank's stage for typed cells. */
  setStage(stage: number | undefined): void;
  /** Shows which command was refused, and why. */
  say(refusal: string): void;
  focus(id: string): void;
  ask(item: PictureItem): void;
}

/** The place where a cell typed at this item is inserted. */
function placeOf(item: PictureItem, { orders }: Draft): ActionPlace {
  const { rank } = item;
  const length = orders[rank]?.length ?? 0;
  if (item.kind === 'cell') return { rank, index: item.cell.index };
  if (item.kind === 'end' || !item.gap.next) return { rank, index: length };
  return { rank, index: item.index ?? length };
}

/** `running`: the schedule from which a draft starts if none is kept. */
export function useEditing(running: Schedule): EditingHands {
  const store = useAppStore();
  const kept = useSlice(DRAFT);
  const draft = useMemo(() => kept ?? draftOf(running), [kept, running]);
  const [rest, setRest] = useState<Omit<Editing, 'draft'>>(AT_START);
  const [focused, setFocused] = useState<string>();
  const [asked, setAsked] = useState<string>();
  const schedule = useMemo(() => scheduleOfDraft(draft), [draft]);
  const picture = useMemo(() => pictureOfDraft(schedule), [schedule]);
  const items = useMemo(() => itemsOf(picture, true), [picture]);
  const focusedItem = findItem(items, focused) ?? items[0]?.[0];
  const editing: Editing = { ...rest, draft, caret: focusedItem ? placeOf(focusedItem, draft) : rest.caret };

  const keep = (next: Draft) => {
    if (next !== draft) writeSlice(store, DRAFT, next);
    setAsked(undefined);
  };
  return {
    editing,
    schedule,
    picture,
    items,
    focused,
    asked: findItem(items, asked),
    keep,
    begin(next) {
      keep(next);
      setRest(AT_START);
      setFocused(undefined);
    },
    command(command) {
      const next = obey(editing, command);
      keep(next.draft);
      setRest(next);
      const { rank, index } = next.caret;
      const cells = pictureOfDraft(scheduleOfDraft(next.draft)).rows[rank]?.cells ?? [];
      const cell = cells.find((at) => at.index === index);
      setFocused(cell ? cellId(cell) : endId(rank));
    },
    setStage: (stage) => setRest({ ...rest, stage }),
    say: (refusal) => setRest({ ...rest, typing: undefined, refusal }),
    focus(id) {
      setFocused(id);
      setRest({ ...rest, typing: undefined, refusal: '' });
    },
    ask: (item) => setAsked(item.kind === 'gap' && item.id !== asked ? item.id : undefined),
  };
}
