/** Old addresses of figures lead to a lesson that has the figure, and no longer to a page that has none. */
import { expect, test } from 'vitest';
import { lesson as schedules } from '../../../../learn/pipeline-schedules/lesson';
import { lesson as pipelines } from '../../../../learn/pipelines/lesson';
import { MOVED, movedTo } from './moved-anchors';

const LESSONS = new Map([
  ['pipelines', pipelines],
  ['pipeline-schedules', schedules],
]);

const has = (lesson: string, anchor: string): boolean =>
  Object.keys(LESSONS.get(lesson)?.figures ?? {}).includes(anchor.replace(/^figure-/, ''));

test('each row leads from a lesson without the figure to one with it', () => {
  for (const [from, to] of MOVED) {
    const [lesson = '', anchor = ''] = from.split('#');
    const [page = '', there = ''] = to.split('#');
    expect(has(lesson, anchor), from).toBe(false);
    expect(has(page.replace('.html', ''), there), to).toBe(true);
  }
});

test('the link that was given out before the lesson was divided', () => {
  expect(movedTo('pipelines', '#figure-halves')).toBe('pipeline-schedules.html#figure-halves');
  expect(movedTo('pipelines', '#figure-cut')).toBeUndefined();
  expect(movedTo('pipelines', '')).toBeUndefined();
});
