/** A figure that runs, as the reader, a solution and a prediction use it. In this thread, without a page. */
import { afterEach, expect, test } from 'vitest';
import { createFrames } from '../../../app/draw/frames';
import type { FigureSpec } from '../../lesson';
import { startInProcess } from '../../record/in-process-session';
import { createSharedSession } from '../session/shared-session';
import type { FigureRun } from './figure-face';
import { openFigureRun } from './figure-run';

const spec: FigureSpec = {
  run: 'mode=ddp&world=2&samples=32&test=0&batch=16&layers=2-4-1&act=tanh&device=cpu&at=1',
  show: ['stage'],
  controls: ['play', 'moment', { key: 'world', label: 'Ranks', values: ['2', '4'] }],
  caption: '',
  numbers: [],
  starts: 'rest',
};

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function figure(own: Partial<FigureSpec> = {}, lessMotion = true): Promise<FigureRun> {
  const shared = createSharedSession(startInProcess);
  const run = openFigureRun({
    id: 'a',
    spec: { ...spec, ...own },
    playground: '../',
    grant: shared.grant(),
    frames: createFrames((callback) => setImmediate(() => callback(performance.now()))),
    reducedMotion: () => lessMotion,
  });
  ends.push(run.end, shared.end);
  run.enter();
  await expect.poll(() => run.state.getState().there).toBe(true);
  return run;
}

const stateOf = ({ services }: FigureRun) => services.store.getState().state;
const worldOf = ({ services }: FigureRun) => services.store.getState().info?.worldSize;
/** Long enough for what would begin by itself. */
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 300));

test('a paused figure stays paused while a setting is dragged before the last value has taken effect', async () => {
  const run = await figure();
  const first = run.set({ world: '4', at: '3' });
  // It trains up to that step.
  await expect.poll(() => stateOf(run), { interval: 1 }).toBe('playing');
  await Promise.all([first, run.set({ world: '2' })]);
  await aMoment();
  expect([stateOf(run), worldOf(run)]).toEqual(['paused', 2]);
});

test('a figure that plays plays on with a new setting; where a solution sets it, it rests at the moment', async () => {
  const run = await figure();
  await run.press('play');
  await run.set({ world: '4' });
  await expect.poll(() => stateOf(run)).toBe('playing');
  await run.setAtRest({ world: '2' });
  await aMoment();
  expect([stateOf(run), worldOf(run)]).toEqual(['paused', 2]);
  const { cursor } = run.services.store.getState();
  await run.press('moment');
  expect(run.services.store.getState().cursor).not.toEqual(cursor);
});

test('settings that the page makes for a prediction do not count as the reader’s', async () => {
  const run = await figure();
  await run.set({ world: '4' });
  expect(run.facts().pressed).toEqual(['world=4']);
  await run.show({ world: '2' });
  expect(worldOf(run)).toBe(2);
  expect(run.facts().pressed).toEqual([]);
  await run.press('moment');
  expect(run.facts().pressed).toEqual(['moment']);
});

test('a figure that starts by itself rests for a reader with less motion, until that reader presses Play', async () => {
  const moving = await figure({ starts: 'train' }, false);
  await expect.poll(() => stateOf(moving)).toBe('playing');
  const calm = await figure({ starts: 'train' });
  await aMoment();
  expect(stateOf(calm)).toBe('paused');
  await calm.press('play');
  await expect.poll(() => stateOf(calm)).toBe('playing');
});
