/**
 * The shown picture of the run's schedule: the step at the page's cursor as it ran, on the chosen clock; or, in units
 * and before a step has run, the planned schedule. Used by schedule-view.tsx.
 */
import { useMemo } from 'react';
import { useApp, useSettled } from '../state/use-app';
import { createCursorOnPicture } from './cursor-on-picture';
import type { PictureParts } from './paint-picture';
import { type Picture, pictureOfSchedule } from './picture';
import { itemsOf, type PictureItem } from './picture-items';
import { pictureOfTrace } from './picture-of-trace';
import { usePictureParts } from './use-picture-parts';
import type { RunSchedule } from './use-run-schedule';

export interface ShownPicture {
  readonly picture: Picture;
  readonly parts: PictureParts;
  readonly items: readonly (readonly PictureItem[])[];
  /** The picture of the step that ran, even if not shown; undefined before a step has run. */
  readonly happened: Picture | undefined;
  readonly cursorAt: ReturnType<typeof createCursorOnPicture> | undefined;
}

const hasCells = (picture: Picture): boolean => picture.rows.some(({ cells }) => cells.length > 0);

/** `replica`: which of several parallel pipelines is shown. */
export function useShownPicture({ schedule, replicas }: RunSchedule, units: boolean, replica: number): ShownPicture {
  const clock = useApp((app) => app.clock);
  const trace = useSettled((app) => app.cursor && app.traces[app.cursor.trace], 100);
  const planned = useMemo(() => pictureOfSchedule(schedule), [schedule]);
  const ran = useMemo(
    () => trace && pictureOfTrace(trace, clock, schedule, { index: Math.min(replica, replicas - 1), of: replicas }),
    [trace, clock, schedule, replica, replicas],
  );
  const happened = ran && hasCells(ran) ? ran : undefined;
  const picture = units || !happened ? planned : happened;
  const mostKept = useMemo(() => Math.max(...planned.rows.map(({ peak }) => peak)), [planned]);
  const cursorAt = useMemo(
    () => trace && happened && createCursorOnPicture(trace, clock, happened, picture),
    [trace, clock, happened, picture],
  );
  const parts = usePictureParts(picture, schedule, { replicas, mostKept });
  const items = useMemo(() => itemsOf(picture), [picture]);
  return { picture, parts, items, happened, cursorAt };
}
