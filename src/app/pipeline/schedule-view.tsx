/**
 * The schedule of the run as a picture: of the step that ran, on the modelled or the measured clock, or in units.
 * Choosing a cell moves the page's cursor to it; choosing a gap explains it.
 */
import { useCallback, useMemo, useState } from 'react';
import { clockLabel } from '../lanes/clock-label';
import { type ViewWindow, WHOLE } from '../lanes/view-window';
import type { SavedFigure } from '../picture/figure-picture';
import { SavePicture } from '../picture/save-button';
import { useController } from '../run/use-controller';
import type { App } from '../state/app-state';
import { useApp, useAppStore, useSettled } from '../state/use-app';
import { NO_MARKS, type PictureMarks, type PictureParts, paintPicture } from './paint-picture';
import type { Picture } from './picture';
import { PictureFigure } from './picture-figure';
import { findItem, type PictureItem } from './picture-items';
import { layoutPicture } from './picture-layout';
import { PictureTable } from './picture-table';
import styles from './pipeline.module.css';
import { type PictureClock, ScheduleHead } from './schedule-head';
import type { RunSchedule } from './use-run-schedule';
import { type ShownPicture, useShownPicture } from './use-shown-picture';
import { arrowsOf } from './waiting-arrows';
import { cellWords, percentText, rowName, whyBubble } from './why-bubble';

export interface ScheduleViewProps {
  readonly run: RunSchedule;
  readonly units: boolean;
  readonly onUnits: (units: boolean) => void;
}

export function ScheduleView({ run, units, onUnits }: ScheduleViewProps) {
  const { schedule, replicas } = run;
  const store = useAppStore();
  const clock = useApp((app) => app.clock);
  const info = useApp((app) => app.info);
  const [replica, setReplica] = useState(0);
  const [view, setView] = useState<ViewWindow>(WHOLE);
  const [focused, setFocused] = useState<string>();
  const shown = useShownPicture(run, units, replica);
  const { picture, parts, items, happened, cursorAt } = shown;
  const { selected, pick } = useSelected(shown);

  const marks = useCallback(
    (app: App, pointed: PictureItem | undefined): PictureMarks => {
      const at = app.cursor && cursorAt?.({ event: app.cursor.event, fraction: app.cursorFraction });
      return {
        ...NO_MARKS,
        cursor: at?.time,
        lit: at?.lit ?? NO_MARKS.lit,
        pointed,
        selected,
        arrows: selected ? arrowsOf(selected, picture) : [],
      };
    },
    [cursorAt, selected, picture],
  );
  const clockShown: PictureClock = units || !happened ? 'units' : clock;
  return (
    <>
      <ScheduleHead
        clock={clockShown}
        clocks={happened ? ['modelled', 'measured', 'units'] : ['units']}
        label={
          clockShown === 'units' || !info
            ? 'a forward pass takes 1 unit, a backward pass 2, I and W 1 each, messages none'
            : clockLabel(clockShown, info)
        }
        onClock={(next) => {
          onUnits(next === 'units');
          if (next !== 'units') store.getState().setClock(next);
        }}
        view={view}
        onView={setView}
        replica={replica}
        replicas={replicas}
        pipelineRanks={schedule.ranks}
        onReplica={setReplica}
        kinds={picture}
        chunks={parts.chunks}
      >
        <SavePicture name="schedule" what="the schedule" figure={figureOf(parts, view, marks)} />
        <PictureTable picture={picture} schedule={schedule} items={items} onPick={pick} />
      </ScheduleHead>
      <PictureFigure
        label="The schedule: what each rank computes over time; the table lists its cells and gaps"
        parts={parts}
        schedule={schedule}
        items={items}
        view={view}
        onView={setView}
        focused={focused}
        onFocus={setFocused}
        onPick={pick}
        nameOf={(item) =>
          item.kind === 'cell'
            ? `${item.cell.action.kind}${item.cell.action.microBatch} of ${rowName(schedule, item.rank)}`
            : `gap of ${rowName(schedule, item.rank)}: why this bubble?`
        }
        marks={marks}
      />
      <SelectedWords item={selected} picture={picture} schedule={schedule} />
    </>
  );
}

/** The selected item: the pressed gap, or the cell of the page's pinned event. */
function useSelected({ picture, items, happened }: ShownPicture) {
  const store = useAppStore();
  const { player } = useController();
  const locked = useApp((app) => app.lock.has('transport'));
  const pinned = useSettled((app) => app.pinned, 80);
  const [gap, setGap] = useState<string>();
  const selected = useMemo((): PictureItem | undefined => {
    if (pinned === undefined) return findItem(items, gap);
    const ranCell = happened?.rows.flatMap((row) => row.cells).find((cell) => cell.events?.last === pinned);
    const shown = ranCell && picture.cellOf(ranCell.action);
    return items.flat().find((item) => item.kind === 'cell' && item.cell === shown);
  }, [pinned, gap, items, happened, picture]);
  const pick = (item: PictureItem) => {
    const { pin, cursor, pinned: now } = store.getState();
    if (item.kind !== 'cell') {
      pin(undefined);
      setGap(item.id === gap && now === undefined ? undefined : item.id);
      return;
    }
    setGap(undefined);
    const events = happened?.cellOf(item.cell.action)?.events;
    if (!events || !cursor || locked) return;
    player.seek(cursor.trace, events.last);
    if (now !== events.last) pin(events.last);
  };
  return { selected, pick };
}

/** The picture as a file, with all its rows, even if the panel shows only some. */
const figureOf = (
  parts: PictureParts,
  view: ViewWindow,
  marks: (app: App, pointed: undefined) => PictureMarks,
): SavedFigure => ({
  async picture(app) {
    const layout = layoutPicture(1000, parts.picture.rows.length, undefined);
    const { width, height } = layout;
    return { width, height, paint: (ink) => paintPicture(ink, { ...parts, layout, view }, marks(app, undefined)) };
  },
});

interface SelectedWordsProps {
  readonly item: PictureItem | undefined;
  readonly picture: Picture;
  readonly schedule: RunSchedule['schedule'];
}

function SelectedWords({ item, picture, schedule }: SelectedWordsProps) {
  return (
    <p className={styles['words']} role="status" aria-label="Selected in the schedule">
      {item?.kind === 'gap' && whyBubble(item.gap, picture, schedule)}
      {item?.kind === 'cell' && cellWords(item.cell, picture)}
      {!item && (
        <span>
          {percentText(picture.bubble)} of the ranks’ time is bubble. Press a gap to see its cause, a cell to go there.
        </span>
      )}
    </p>
  );
}
