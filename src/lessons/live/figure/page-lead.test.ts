/**
 * Solutions and answers in one figure, as readers ask for them: one before the other has ended. Without a page.
 *
 * @module-tag rest: lessons.spec.ts plays the solutions of a lesson, and sets the answers of its predictions.
 */
import { afterEach, expect, test } from 'vitest';
import { createFrames } from '../../../app/draw/frames';
import { measure } from '../../facts/quantities';
import type { Action, FigureSpec } from '../../lesson';
import { startInProcess } from '../../record/in-process-session';
import { createSharedSession } from '../session/shared-session';
import type { FigureRun } from './figure-face';
import { openFigureRun } from './figure-run';
import { openLabRun } from './lab-run';
import { createPageLead } from './page-lead';
import { isLab } from './settings';

const RUN: FigureSpec = {
  run: 'mode=ddp&world=4&samples=64&test=0&batch=16&layers=2-4-1&act=tanh&device=cpu&at=1',
  show: ['stage'],
  controls: ['play', { key: 'world', label: 'Ranks', values: ['2', '4'] }],
  caption: '',
  numbers: [],
  starts: 'rest',
};
const LAB: FigureSpec = { ...RUN, run: 'lab=allReduce(ranks:4,length:2,round:0)', show: ['lab'] };

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function figure(spec: FigureSpec) {
  const shared = createSharedSession(startInProcess);
  const run: FigureRun = (isLab(spec) ? openLabRun : openFigureRun)({
    id: 'a',
    spec,
    playground: '../',
    grant: shared.grant(),
    frames: createFrames((callback) => setImmediate(() => callback(performance.now()))),
    reducedMotion: () => true,
  });
  ends.push(run.end, shared.end);
  run.enter();
  await expect.poll(() => run.state.getState().there).toBe(true);
  return { run, lead: createPageLead(run, () => true) };
}

const aMoment = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const SOLUTION: readonly Action[] = [{ set: { world: '2' } }, { set: { batch: '32' } }];
const solved = (run: FigureRun) => measure(run.facts(), 'rowsPerRank') === 16 && run.facts().info?.ranks === 2;

test.for([0, 60, 140, 200, 400])('a solution asked for %i ms after a guess does its task', async (gap) => {
  const { run, lead } = await figure(RUN);
  const answer = lead.show({ samples: '20', batch: '20' });
  await aMoment(gap);
  await lead.solve(SOLUTION, () => solved(run));
  await answer;
  expect(run.state.getState().changes).toEqual({ world: '2', batch: '32' });
  expect(solved(run)).toBe(true);
  expect(run.state.getState().used).toBeUndefined();
});

test('of two solutions the second one is played to its end, the first one stops', async () => {
  const { run, lead } = await figure(RUN);
  const first = lead.solve([{ set: { samples: '20' } }, { set: { batch: '20' } }, 'wait'], () => false);
  await aMoment(200);
  await Promise.all([first, lead.solve(SOLUTION, () => solved(run))]);
  expect(run.state.getState().changes).toEqual({ world: '2', batch: '32' });
});

test('the answer of a later guess ends a solution', async () => {
  const { run, lead } = await figure(RUN);
  const solution = lead.solve(SOLUTION, () => false);
  await aMoment(200);
  await lead.show({ world: '4', batch: '32' });
  await solution;
  expect(run.state.getState().changes).toMatchObject({ world: '4', batch: '32' });
});

test('a solution stops when the reader uses the figure', async () => {
  const { run, lead } = await figure(RUN);
  const solution = lead.solve([...SOLUTION, 'wait'], () => false);
  await expect.poll(() => run.state.getState().changes['world']).toBe('2');
  lead.stop();
  await run.set({ world: '4' });
  await solution;
  expect(run.state.getState().changes).toEqual({ world: '4' });
});

test('in a figure of the lab, too', async () => {
  const { run, lead } = await figure(LAB);
  const answer = lead.show({ ranks: '8' });
  await aMoment(60);
  const atEnd = () => run.facts().round === 6;
  await Promise.all([answer, lead.solve([{ set: { round: '6' } }], atEnd)]);
  expect(run.state.getState().lab?.rounds.length).toBe(6);
  expect(atEnd()).toBe(true);
});
