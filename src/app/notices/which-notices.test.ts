import { expect, test } from 'vitest';
import type { Notice } from '../../protocol/notice';
import { SOFTWARE_ADAPTER, stripsOf, stripsOfLesson } from './which-notices';

const notice = (id: string, level: Notice['level']): Notice => ({ id, level, text: id, hint: '' });
const ALL = [
  notice(SOFTWARE_ADAPTER, 'warning'),
  notice('no-webgpu', 'warning'),
  notice('no-effect-seeds', 'info'),
  notice('sum-loss', 'warning'),
  notice('run', 'error'),
];
const ids = (notices: readonly Notice[]) => notices.map(({ id }) => id);

test('the playground shows all notices except the one about the adapter, and a frame none about the machine', () => {
  expect(ids(stripsOf(ALL, false))).toEqual(['no-webgpu', 'no-effect-seeds', 'sum-loss', 'run']);
  expect(ids(stripsOf(ALL, true))).toEqual(['no-effect-seeds', 'sum-loss', 'run']);
});

test('a lesson shows no advice about settings that its author has chosen', () => {
  expect(ids(stripsOfLesson(ALL))).toEqual(['sum-loss', 'run']);
});
