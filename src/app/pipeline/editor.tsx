/**
 * Build your own schedule: the picture of a draft, whose cells are dragged, typed and moved, with what is wrong at
 * once, and the way to run it. The draft is in the store; edit-draft.ts says what a key does, this joins it to the
 * page.
 */
import { type KeyboardEvent, useCallback, useMemo, useState } from 'react';
import { complaintsOf } from '../../schedules/check';
import type { Place } from '../../schedules/dependencies';
import { recognise } from '../../schedules/recognise';
import type { Point } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { useApp, useAppStore, usePalette } from '../state/use-app';
import { type ViewWindow, WHOLE } from '../timeline/view-window';
import { type Draft, draftOf, moved, scheduleOfDraft } from './draft';
import { pictureOfDraft } from './draft-clock';
import { type Drop, dropAt, paintDraft } from './draft-marks';
import { type Command, commandOf, type Editing, obey } from './edit-draft';
import { EditorTools } from './editor-tools';
import { EditorWords } from './editor-words';
import { NO_MARKS, type PictureMarks, type PictureScene } from './paint-picture';
import { PictureFigure } from './picture-figure';
import { cellId, endId, findItem, itemsOf, type PictureItem } from './picture-items';
import { cellTip, gapTip } from './picture-tip';
import styles from './pipeline.module.css';
import { chunksOf, titlesOf } from './row-titles';
import { arrowsOf } from './schedule-view';
import { Score } from './score';
import type { RunSchedule } from './use-run-schedule';
import { rowName, whyBubble } from './why-bubble';

/** Where what is typed at an item goes. */
function placeOf(item: PictureItem, { orders }: Draft): Place {
  const { rank } = item;
  const length = orders[rank]?.length ?? 0;
  if (item.kind === 'cell') return { rank, index: item.cell.index };
  if (item.kind === 'end' || !item.gap.next) return { rank, index: length };
  return { rank, index: item.index ?? length };
}

export function Editor({ run }: { readonly run: RunSchedule }) {
  const store = useAppStore();
  const palette = usePalette();
  const kept = useApp((app) => app.draft);
  const draft = useMemo(() => kept ?? draftOf(run.schedule), [kept, run.schedule]);
  const [rest, setRest] = useState<Omit<Editing, 'draft'>>(AT_START);
  const [focused, setFocused] = useState<string>();
  const [asked, setAsked] = useState<string>();
  const [view, setView] = useState<ViewWindow>(WHOLE);
  const [drop, setDrop] = useState<Drop>();

  const schedule = useMemo(() => scheduleOfDraft(draft), [draft]);
  const picture = useMemo(() => pictureOfDraft(schedule), [schedule]);
  const items = useMemo(() => itemsOf(picture, true), [picture]);
  const complaints = useMemo(() => complaintsOf(schedule), [schedule]);
  const known = useMemo(() => (complaints.length === 0 ? recognise(schedule) : undefined), [complaints, schedule]);
  const titles = useMemo(() => titlesOf(schedule, run.replicas, palette), [schedule, run.replicas, palette]);
  const chunks = useMemo(() => chunksOf(schedule), [schedule]);
  const mostKept = Math.max(1, ...picture.rows.map(({ peak }) => peak));
  const wrong = useMemo(() => {
    const places = complaints.flatMap(({ rank, index, circle }) => [
      ...(index === undefined ? [] : [`${rank} ${index}`]),
      ...(circle ?? []).map((one) => `${one.rank} ${one.index}`),
    ]);
    const all = new Set(places);
    return new Set(picture.rows.flatMap(({ cells }) => cells.filter(({ rank, index }) => all.has(`${rank} ${index}`))));
  }, [complaints, picture]);
  const gap = findItem(items, asked);
  const focusedItem = findItem(items, focused) ?? items[0]?.[0];
  const editing: Editing = {
    ...rest,
    draft,
    caret: focusedItem ? placeOf(focusedItem, draft) : rest.caret,
  };

  const keep = (next: Draft) => {
    if (next !== draft) store.getState().setDraft(next);
    setAsked(undefined);
  };
  const command = (one: Command) => {
    const next = obey(editing, one);
    keep(next.draft);
    setRest(next);
    const { rank, index } = next.caret;
    const cells = pictureOfDraft(scheduleOfDraft(next.draft)).rows[rank]?.cells ?? [];
    const cell = cells.find((at) => at.index === index);
    setFocused(cell ? cellId(cell) : endId(rank));
  };
  const onKey = (event: KeyboardEvent): boolean => {
    const one = commandOf(event);
    if (!one) return false;
    event.preventDefault();
    command(one);
    return true;
  };
  const say = (refusal: string) => setRest({ ...rest, typing: undefined, refusal });

  const marks = useCallback(
    (_: unknown, pointed: PictureItem | undefined): PictureMarks => ({
      ...NO_MARKS,
      pointed,
      wrong,
      selected: gap,
      arrows: gap ? arrowsOf(gap, picture) : missingArrows(complaints, picture),
    }),
    [wrong, gap, picture, complaints],
  );
  const paintOver = useCallback((ink: Ink, scene: PictureScene) => paintDraft(ink, scene, drop), [drop]);

  return (
    <>
      <EditorTools
        run={run}
        editing={editing}
        complaints={complaints}
        view={view}
        onView={setView}
        onCommand={command}
        onStage={(stage) => setRest({ ...rest, stage })}
        onDraft={(next) => {
          keep(next);
          setRest(AT_START);
          setFocused(undefined);
        }}
        onSay={say}
      />
      <div className={styles['editor']}>
        <PictureFigure
          label="The schedule that you build, in units of a forward"
          picture={picture}
          items={items}
          titles={titles}
          mostKept={mostKept}
          chunks={chunks}
          view={view}
          onView={setView}
          focused={focused}
          onFocus={(id) => {
            setFocused(id);
            setRest({ ...rest, typing: undefined, refusal: '' });
          }}
          onPick={(item) => setAsked(item.kind === 'gap' && item.id !== asked ? item.id : undefined)}
          nameOf={(item) => nameOf(item, draft)}
          tipOf={(item) =>
            item.kind === 'cell'
              ? cellTip(item.cell, picture, schedule)
              : item.kind === 'gap'
                ? gapTip(item.gap, picture, schedule)
                : undefined
          }
          marks={marks}
          onKey={onKey}
          paintOver={paintOver}
          grip={{
            take: (item) => item.kind === 'cell',
            move: (item: PictureItem, to: Point, scene: PictureScene) => setDrop(dropAt(scene, item, to)),
            drop: (item, to, scene) => {
              setDrop(undefined);
              const end = to && dropAt(scene, item, to);
              if (!end || item.kind !== 'cell') return;
              if (end.otherRank !== undefined) {
                const { stage } = item.cell.action;
                say(`A cell stays in its row: stage ${stage} is on rank ${item.rank}, not on rank ${end.otherRank}.`);
                return;
              }
              const next = moved(draft, { rank: item.rank, index: item.cell.index }, end.index);
              keep(next);
              setRest({ ...rest, typing: undefined, refusal: '' });
              setFocused(cellId({ ...item.cell, index: end.index }));
            },
          }}
        />
        <Score draft={draft} isLegal={complaints.length === 0} />
      </div>
      <EditorWords
        complaints={complaints}
        known={known}
        refusal={rest.refusal}
        why={gap?.kind === 'gap' ? whyBubble(gap.gap, picture, schedule) : undefined}
      />
    </>
  );
}

const AT_START: Omit<Editing, 'draft'> = {
  caret: { rank: 0, index: 0 },
  typing: undefined,
  stage: undefined,
  refusal: '',
};

function nameOf(item: PictureItem, draft: Draft): string {
  const row = rowName(draft.size, item.rank);
  if (item.kind === 'end') return `end of ${row}: type F, B, I or W`;
  if (item.kind === 'gap') return `gap of ${row}: why this bubble?`;
  const { kind, stage, microBatch } = item.cell.action;
  const where = draft.size.stages === draft.size.ranks ? row : `stage ${stage}, ${row}`;
  return `${kind}${microBatch} of ${where}, cell ${item.cell.index + 1} of ${draft.orders[item.rank]?.length ?? 0}`;
}

/** From what is needed, where it is, to the first cells that come before it. */
function missingArrows(
  complaints: ReturnType<typeof complaintsOf>,
  picture: ReturnType<typeof pictureOfDraft>,
): PictureMarks['arrows'] {
  return complaints.slice(0, 3).flatMap(({ rank, index, missing }) => {
    const to = picture.rows[rank]?.cells.find((cell) => cell.index === index);
    const from = missing && picture.cellOf(missing);
    return to && from ? [{ from, to }] : [];
  });
}
