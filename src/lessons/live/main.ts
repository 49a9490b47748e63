/**
 * Makes a lesson's page live: figures that run, predictions, tasks, progress. The page is whole without it; what is
 * expected of its HTML is in ../CONTRACT.md. Small: whatever runs or draws a figure is fetched with the first one that
 * comes near.
 */

import { markFailedStyles } from '../../app/boundary/failed-styles';
import { loadPart } from '../../base/load-part';
import type { Lesson } from '../lesson';
import { openDrawings } from './drawing/drawings';
import { openFigures } from './page/figures';
import { followMoved } from './page/moved-anchors';
import { openPredictions } from './page/predictions';
import { createProgress, type Progress, storageOf } from './page/progress';
import { openTasks } from './page/tasks';
import { openThings } from './page/things';
import { openWall } from './page/wall';

interface LessonModule {
  readonly lesson: Lesson;
}

const TABLES = import.meta.glob<LessonModule>('/learn/*/lesson.ts');

function start(): void {
  markFailedStyles(document);
  const progress = createProgress(storageOf(window));
  const { lesson } = document.documentElement.dataset;
  if (lesson !== undefined) openLesson(lesson, progress);
  showDots(progress);
  openWall(window);
}

/** Where the reader has been, in the header. */
function showDots(progress: Progress): void {
  for (const dot of document.querySelectorAll<HTMLElement>('.dot[data-lesson]')) {
    const known = progress.of(dot.dataset['lesson'] ?? '');
    if (known) dot.dataset['state'] = known.done ? 'done' : 'begun';
  }
}

function openLesson(lesson: string, progress: Progress): void {
  followMoved(window, lesson);
  progress.open(lesson);
  const load = new Map(Object.entries(TABLES)).get(`/learn/${lesson}/lesson.ts`);
  if (!load) return;
  let read: Promise<Lesson> | undefined;
  const table = () => {
    read ??= loadPart('The table of the lesson', async () => (await load()).lesson).catch((error: unknown) => {
      read = undefined;
      throw error;
    });
    return read;
  };
  const figures = openFigures({ page: window, table });
  openPredictions({ document, lesson, table, figures, progress });
  openTasks({
    document,
    lesson,
    table,
    figures,
    progress,
    onDone(task, all) {
      tell({ type: 'lockstep:task', lesson, task });
      if (all) tell({ type: 'lockstep:lesson', lesson, done: true });
      showDots(progress);
    },
  });
  openThings(document, figures);
  openDrawings(window);
  // Pictures far below are loaded late; paper shows all of them at once.
  matchMedia('print').addEventListener('change', () => {
    for (const image of document.images) image.loading = 'eager';
  });
}

/** A page around this one may want to know what its reader has done; that is no secret, whatever its origin. */
function tell(message: Readonly<Record<string, string | boolean>>): void {
  if (window.parent !== window) window.parent.postMessage(message, '*');
}

start();
