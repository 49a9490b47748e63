/**
 * Draws the schedule of a recorded pipeline run, in units of time, and the editor's first state, with the painters of
 * the live figures. Called by pictures.tsx.
 */

import { WHOLE } from '../../app/lanes/view-window';
import type { FigurePicture } from '../../app/picture/figure-picture';
import { createCursorOnPicture } from '../../app/pipeline/cursor-on-picture';
import { draftOf, scheduleOfDraft } from '../../app/pipeline/draft';
import { pictureOfDraft } from '../../app/pipeline/draft-clock';
import { paintDraft } from '../../app/pipeline/draft-marks';
import { NO_MARKS, type PictureMarks, paintPicture } from '../../app/pipeline/paint-picture';
import { type Picture, pictureOfSchedule } from '../../app/pipeline/picture';
import { layoutPicture } from '../../app/pipeline/picture-layout';
import { pictureOfTrace } from '../../app/pipeline/picture-of-trace';
import { chunksOf, titlesOf } from '../../app/pipeline/row-titles';
import { type RunSchedule, runSchedule } from '../../app/pipeline/use-run-schedule';
import type { App } from '../../app/state/app-state';
import { must } from '../../base/invariant';

type Painted = Omit<FigurePicture, 'caption'>;

/** Marks the cells that are under way at the page's cursor. */
export function schedulePicture(app: App, width: number): Painted {
  const run = runOf(app);
  const picture = pictureOfSchedule(run.schedule);
  return painted(run, picture, width, marksAt(app, run, picture));
}

export function editorPicture(app: App, width: number): Painted {
  const run = runOf(app);
  const picture = pictureOfDraft(scheduleOfDraft(draftOf(run.schedule)));
  return painted(run, picture, width, NO_MARKS, true);
}

const runOf = ({ info }: App): RunSchedule => runSchedule(must(info, 'a run').config);

function marksAt({ cursor, traces, clock }: App, { schedule, replicas }: RunSchedule, shown: Picture): PictureMarks {
  const trace = cursor && traces[cursor.trace];
  if (!trace) return NO_MARKS;
  const ran = pictureOfTrace(trace, clock, schedule, { index: 0, of: replicas });
  const { time, lit } = createCursorOnPicture(trace, clock, ran, shown)({ event: cursor.event, fraction: 0 });
  return { ...NO_MARKS, cursor: time, lit };
}

function painted(
  { schedule, replicas }: RunSchedule,
  picture: Picture,
  width: number,
  marks: PictureMarks,
  isDraft = false,
): Painted {
  const layout = layoutPicture(width, schedule.ranks, undefined);
  const mostKept = Math.max(1, ...picture.rows.map(({ peak }) => peak));
  return {
    width: layout.width,
    height: layout.height,
    paint(ink) {
      const titles = titlesOf(schedule, replicas, ink.palette);
      const scene = { picture, layout, view: WHOLE, titles, mostKept, chunks: chunksOf(schedule) };
      paintPicture(ink, scene, marks);
      if (isDraft) paintDraft(ink, scene, undefined);
    },
  };
}
