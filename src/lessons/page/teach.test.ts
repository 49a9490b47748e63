import { expect, test } from 'vitest';
import { DEFAULT_VIEW } from '../../app/permalink/permalink-view';
import { messageOf } from '../../app/shell/tell-state';
import { createAppStore } from '../../app/state/store';
import { parseConfig } from '../../config/parse-config';
import type { FigureSpec, Task } from '../lesson';
import { MESSAGES, solutionWords } from './teach';

const figure: FigureSpec = {
  run: 'mode=ddp&at=1',
  show: ['stage'],
  controls: ['play', { key: 'overlap', label: 'Overlap', values: ['1', '0'], words: ['on', 'off'] }],
  caption: '',
  numbers: [],
  starts: 'rest',
};

test('a solution in words names the controls as the reader sees them', () => {
  const task: Task = {
    figure: 'a',
    text: '',
    hint: '',
    done: () => false,
    solution: [{ set: { overlap: '0' } }, { press: 'play' }, 'wait'],
  };
  expect(solutionWords(task, figure)).toBe('Set Overlap to off, then press Play, then let it run.');
  expect(solutionWords({ ...task, solution: [{ set: { world: '8' } }] }, figure)).toBe('Set world to 8.');
});

test('the snippet for teachers names fields that an embed posts', () => {
  const [, fields = ''] = /lockstep:state.*\{ (.*), \.\.\. \}/.exec(MESSAGES) ?? [];
  const posted = messageOf(createAppStore(parseConfig({}), DEFAULT_VIEW).getState());
  expect(fields).not.toBe('');
  for (const field of fields.split(', ')) expect(posted).toHaveProperty(field);
});
