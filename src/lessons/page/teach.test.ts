import { expect, test } from 'vitest';
import type { FigureSpec, Task } from '../lesson';
import { solutionWords } from './teach';

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
