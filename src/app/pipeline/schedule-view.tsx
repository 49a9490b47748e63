/**
 * The schedule of the run as a picture: of the step that ran, on the modelled or the measured clock, or in units. A
 * cell that is chosen takes the page's cursor along; a gap says why it is there.
 */
import { useCallback, useMemo, useState } from 'react';
import type { Clock } from '../../protocol/trace';
import type { Figure } from '../picture/figure-picture';
import { SavePicture } from '../picture/save-button';
import type { App } from '../state/store';
import { useApp, useAppStore, useController, usePalette, useSettled } from '../state/use-app';
import { clockLabel } from '../timeline/clock-label';
import { type ViewWindow, WHOLE } from '../timeline/view-window';
import { createCursorOnPicture } from './cursor-on-picture';
import { NO_MARKS, type PictureMarks, paintPicture } from './paint-picture';
import { type Picture, pictureOfSchedule } from './picture';
import { PictureFigure } from './picture-figure';
import { findItem, itemsOf, type PictureItem } from './picture-items';
import { layoutPicture } from './picture-layout';
import { pictureOfTrace } from './picture-of-trace';
import { PictureTable } from './picture-table';
import { cellTip, gapTip } from './picture-tip';
import styles from './pipeline.module.css';
import { chunksOf, titlesOf } from './row-titles';
import { type PictureClock, ScheduleHead } from './schedule-head';
import type { RunSchedule } from './use-run-schedule';
import { cellWords, percentText, rowName, whyBubble } from './why-bubble';

export interface ScheduleViewProps {
  readonly run: RunSchedule;
  readonly units: boolean;
  readonly onUnits: (units: boolean) => void;
}

const hasCells = (picture: Picture): boolean => picture.rows.some(({ cells }) => cells.length > 0);

export function ScheduleView({ run, units, onUnits }: ScheduleViewProps) {
  const { schedule, replicas } = run;
  const store = useAppStore();
  const { player } = useController();
  const palette = usePalette();
  const clock = useApp((app) => app.clock);
  const info = useApp((app) => app.info);
  const locked = useApp((app) => app.lock.has('transport'));
  const trace = useSettled((app) => app.cursor && app.traces[app.cursor.trace], 100);
  const pinned = useSettled((app) => app.pinned, 80);
  const [replica, setReplica] = useState(0);
  const [view, setView] = useState<ViewWindow>(WHOLE);
  const [focused, setFocused] = useState<string>();
  const [gap, setGap] = useState<string>();

  const planned = useMemo(() => pictureOfSchedule(schedule), [schedule]);
  const ran = useMemo(
    () => trace && pictureOfTrace(trace, clock, schedule, { index: Math.min(replica, replicas - 1), of: replicas }),
    [trace, clock, schedule, replica, replicas],
  );
  const happened = ran && hasCells(ran) ? ran : undefined;
  const picture = units || !happened ? planned : happened;
  const items = useMemo(() => itemsOf(picture), [picture]);
  const mostKept = useMemo(() => Math.max(...planned.rows.map(({ peak }) => peak)), [planned]);
  const titles = useMemo(() => titlesOf(schedule, replicas, palette), [schedule, replicas, palette]);
  const chunks = useMemo(() => chunksOf(schedule), [schedule]);
  const cursorAt = useMemo(
    () => trace && happened && createCursorOnPicture(trace, clock, happened, picture),
    [trace, clock, happened, picture],
  );
  const selected = useMemo((): PictureItem | undefined => {
    if (pinned === undefined) return findItem(items, gap);
    const ranCell = happened?.rows.flatMap((row) => row.cells).find((cell) => cell.events?.last === pinned);
    const shown = ranCell && picture.cellOf(ranCell.action);
    return items.flat().find((item) => item.kind === 'cell' && item.cell === shown);
  }, [pinned, gap, items, happened, picture]);

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
  const words = (item: PictureItem): string =>
    item.kind === 'gap'
      ? whyBubble(item.gap, picture, schedule)
      : item.kind === 'cell'
        ? cellWords(item.cell, picture)
        : '';
  const figure: Figure = {
    async picture(app) {
      const layout = layoutPicture(1000, picture.rows.length, undefined);
      const scene = { picture, layout, view, titles, mostKept, chunks };
      return {
        width: layout.width,
        height: layout.height,
        paint: (ink) => paintPicture(ink, scene, marks(app, undefined)),
      };
    },
  };
  const shownClock: PictureClock = units || !happened ? 'units' : clock;
  return (
    <>
      <ScheduleHead
        clock={shownClock}
        clocks={happened ? ['modelled', 'measured', 'units'] : ['units']}
        label={
          shownClock === 'units' || !info
            ? 'forward 1 unit, backward 2, I and W 1 each, messages free'
            : clockLabel(shownClock as Clock, info)
        }
        onClock={(next) => {
          onUnits(next === 'units');
          if (next !== 'units') store.getState().setClock(next);
        }}
        view={view}
        onView={setView}
        replica={replica}
        replicas={replicas}
        onReplica={setReplica}
        kinds={picture}
        chunks={chunks}
      >
        <SavePicture name="schedule" what="the schedule" figure={figure} />
        <PictureTable picture={picture} schedule={schedule} items={items} onPick={pick} />
      </ScheduleHead>
      <PictureFigure
        label="The schedule: what each rank computes over time; the table lists its cells and gaps"
        picture={picture}
        items={items}
        titles={titles}
        mostKept={mostKept}
        chunks={chunks}
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
        tipOf={(item) =>
          item.kind === 'cell'
            ? cellTip(item.cell, picture, schedule)
            : item.kind === 'gap'
              ? gapTip(item.gap, picture, schedule)
              : undefined
        }
        marks={marks}
      />
      <p className={styles['words']} role="status" aria-label="Selected in the schedule">
        {selected ? (
          words(selected)
        ) : (
          <span>
            {percentText(picture.bubble)} of this picture is bubble. Press a gap to see what it waits for, a cell to go
            there.
          </span>
        )}
      </p>
    </>
  );
}

/** From what a gap waits for to its end. */
export function arrowsOf(item: PictureItem, picture: Picture): PictureMarks['arrows'] {
  if (item.kind !== 'gap' || !item.gap.waitsFor) return [];
  const from = picture.cellOf(item.gap.waitsFor);
  return from ? [{ from, to: item.gap }] : [];
}
