/**
 * "Build your own": the picture of a draft whose cells the user drags, types and moves, with its errors and a button to
 * run it. The draft is in the store; use-editing.ts keeps the state of editing; this component joins them to the page.
 */
import { type KeyboardEvent, useCallback, useMemo, useState } from 'react';
import { complaintsOf } from '../../schedules/check-schedule';
import type { Complaint } from '../../schedules/complaint';
import { recognise } from '../../schedules/recognise';
import type { Ink } from '../draw/ink';
import { type ViewWindow, WHOLE } from '../lanes/view-window';
import { type Draft, moved } from './draft';
import { type Drop, dropAt, paintDraft } from './draft-marks';
import { commandOf } from './edit-draft';
import { EditorTools } from './editor-tools';
import { EditorWords } from './editor-words';
import { NO_MARKS, type PictureMarks, type PictureScene } from './paint-picture';
import type { Picture, PictureCell } from './picture';
import { PictureFigure } from './picture-figure';
import { cellId, type PictureItem } from './picture-items';
import styles from './pipeline.module.css';
import { Score } from './score';
import { type EditingHands, useEditing } from './use-editing';
import { usePictureParts } from './use-picture-parts';
import type { Grip } from './use-picture-pointer';
import type { RunSchedule } from './use-run-schedule';
import { arrowsOf, missingArrows } from './waiting-arrows';
import { rowName, whyBubble } from './why-bubble';

export function Editor({ run }: { readonly run: RunSchedule }) {
  const hands = useEditing(run.schedule);
  const { editing, schedule, picture, items, asked } = hands;
  const { draft } = editing;
  const [view, setView] = useState<ViewWindow>(WHOLE);
  const [drop, setDrop] = useState<Drop>();
  const complaints = useMemo(() => complaintsOf(schedule), [schedule]);
  const known = useMemo(() => (complaints.length === 0 ? recognise(schedule) : undefined), [complaints, schedule]);
  const wrong = useMemo(() => wrongCells(complaints, picture), [complaints, picture]);
  const mostKept = Math.max(1, ...picture.rows.map(({ peak }) => peak));
  const parts = usePictureParts(picture, schedule, { replicas: run.replicas, mostKept });

  const marks = useCallback(
    (_: unknown, pointed: PictureItem | undefined): PictureMarks => ({
      ...NO_MARKS,
      pointed,
      wrong,
      selected: asked,
      arrows: asked ? arrowsOf(asked, picture) : missingArrows(complaints, picture),
    }),
    [wrong, asked, picture, complaints],
  );
  const paintOver = useCallback((ink: Ink, scene: PictureScene) => paintDraft(ink, scene, drop), [drop]);
  const onKey = (event: KeyboardEvent): boolean => {
    const command = commandOf(event);
    if (!command) return false;
    event.preventDefault();
    hands.command(command);
    return true;
  };
  return (
    <>
      <EditorTools
        run={run}
        editing={editing}
        complaints={complaints}
        view={view}
        onView={setView}
        onCommand={hands.command}
        onStage={hands.setStage}
        onDraft={hands.begin}
        onSay={hands.say}
      />
      <div className={styles['editor']}>
        <PictureFigure
          label="The schedule that you build, in units of a forward"
          parts={parts}
          schedule={schedule}
          items={items}
          view={view}
          onView={setView}
          focused={hands.focused}
          onFocus={hands.focus}
          onPick={hands.ask}
          nameOf={(item) => nameOf(item, draft)}
          marks={marks}
          onKey={onKey}
          paintOver={paintOver}
          grip={gripOf(hands, setDrop)}
        />
        <Score draft={draft} isLegal={complaints.length === 0} />
      </div>
      <EditorWords
        complaints={complaints}
        known={known}
        refusal={editing.refusal}
        why={asked?.kind === 'gap' ? whyBubble(asked.gap, picture, schedule) : undefined}
      />
    </>
  );
}

/** The grip with which the user drags cells within their row; `onDrop` receives the place where a cell would land. */
const gripOf = (hands: EditingHands, onDrop: (drop: Drop | undefined) => void): Grip => ({
  take: (item) => item.kind === 'cell',
  move: (item, to, scene) => onDrop(dropAt(scene, item, to)),
  drop(item, to, scene) {
    onDrop(undefined);
    const end = to && dropAt(scene, item, to);
    if (!end || item.kind !== 'cell') return;
    if (end.otherRank !== undefined) {
      const { stage } = item.cell.action;
      hands.say(`A cell stays in its row: stage ${stage} is on rank ${item.rank}, not on rank ${end.otherRank}.`);
      return;
    }
    hands.keep(moved(hands.editing.draft, { rank: item.rank, index: item.cell.index }, end.index));
    hands.focus(cellId({ ...item.cell, index: end.index }));
  },
});

/** The cells with complaints. */
function wrongCells(complaints: readonly Complaint[], picture: Picture): ReadonlySet<PictureCell> {
  const places = complaints.flatMap(({ rank, index, circle }) => [
    ...(index === undefined ? [] : [`${rank} ${index}`]),
    ...(circle ?? []).map((one) => `${one.rank} ${one.index}`),
  ]);
  const all = new Set(places);
  return new Set(picture.rows.flatMap(({ cells }) => cells.filter(({ rank, index }) => all.has(`${rank} ${index}`))));
}

function nameOf(item: PictureItem, draft: Draft): string {
  const row = rowName(draft.size, item.rank);
  if (item.kind === 'end') return `end of ${row}: type F, B, I or W`;
  if (item.kind === 'gap') return `gap of ${row}: why this bubble?`;
  const { kind, stage, microBatch } = item.cell.action;
  const where = draft.size.stages === draft.size.ranks ? row : `stage ${stage}, ${row}`;
  return `${kind}${microBatch} of ${where}, cell ${item.cell.index + 1} of ${draft.orders[item.rank]?.length ?? 0}`;
}
