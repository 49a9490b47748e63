/**
 * Makes a lesson's page live: figures that run, predictions, tasks, progress. The page is complete without this script;
 * ../CONTRACT.md describes the HTML that it needs. The script is small: the code that runs and draws figures is fetched
 * when the first figure comes near the window.
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

/** Marks the lessons that the reader has opened or finished, in the header. */
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
  // Pictures far below load late, but a print shows all of them at once.
  matchMedia('print').addEventListener('change', () => {
    for (const image of document.images) image.loading = 'eager';
  });
}

/** Tells a page that embeds this one what the reader has done; the message is no secret, so it goes to any origin. */
function tell(message: Readonly<Record<string, string | boolean>>): void {
  if (window.parent !== window) window.parent.postMessage(message, '*');
}

start();
