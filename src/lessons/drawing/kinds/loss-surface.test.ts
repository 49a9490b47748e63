/** The map and the steps on it are of real trainings: each step goes down the gradient, its losses are the runs'. */
import { expect, test } from 'vitest';
import { lesson } from '../../../../learn/batch-size/lesson';
import { must } from '../../../base/invariant';
import { lossSurface } from '../../../inference/loss-surface';
import { recordRun } from '../../record/record-run';
import { linkOf } from '../../run-link';
import { drawingOf, holdsForAllKnobs } from '../../testing/drawn';
import { type DrawnSurface, kind } from './loss-surface';

const drawing = drawingOf(lesson, 'surface', kind);
const links = lesson.drawings?.['surface']?.runs ?? {};
const surface = async () => must((await drawing.data) as DrawnSurface, 'data');

test('after a step the loss is that of the run after a step', async () => {
  for (const { lr, path } of (await surface()).rates) {
    const link = must(links[lr], lr);
    const { store } = await recordRun(linkOf(`${link.replace('at=1', 'at=4')}`));
    expect(path[4]?.[2]).toBeCloseTo(must(store.getState().snapshot, 'a snapshot').trainLoss, 6);
  }
});

test('the first step has the same direction at every learning rate, and a length proportional to it', async () => {
  const moved = (await surface()).rates.map(({ lr, path: [before, after] }) =>
    [0, 1].map((axis) => (must(after?.[axis], 'a weight') - must(before?.[axis], 'a weight')) / Number(lr)),
  );
  // Weights are kept with three digits.
  for (const [first, second] of moved) {
    expect(first).toBeCloseTo(must(moved[4]?.[0], 'a step'), 1);
    expect(second).toBeCloseTo(must(moved[4]?.[1], 'a step'), 1);
  }
});

test('the loss at every point of an outline is that of its contour, but for points on the border', async () => {
  const { store } = await recordRun(linkOf(must(links['0.8'], 'a run')));
  const { contours, from, to } = await surface();
  const { config } = store.getState();
  for (const { loss: level, outline } of contours.slice(2))
    for (const [x, y] of outline.filter((_, index) => index % 24 === 5)) {
      if ([x, y].some((weight) => weight < from + 0.05 || weight > to - 0.05)) continue;
      // The two corners of this square are the point itself, once with its weights in turn.
      const { losses } = await lossSurface(config, { from: x, to: y, cells: 1 }, 0);
      expect(Math.abs(must(losses[1]?.[0], 'a loss') - level) / level).toBeLessThan(0.06);
    }
});

test('the learning rates of the drawing: too small, right, across the valley, divergent', async () => {
  const { rates } = await surface();
  const rises = rates.map(({ path }) => path.filter(([, , loss], i) => i > 0 && loss > (path[i - 1]?.[2] ?? 0)).length);
  const ends = rates.map(({ path }) => path.at(-1)?.[2] ?? 0);
  expect(rates.map(({ lr }) => lr)).toEqual(['0.2', '0.8', '1.6', '3.6', '4.2']);
  // All rows are in each step, so below the limit no step raises the loss, and beyond it every later one does.
  expect(rises.slice(0, 4)).toEqual([0, 0, 0, 0]);
  expect(rises[4]).toBe(16);
  const says = await Promise.all(rates.map(async ({ lr }) => (await drawing.draw({ lr })).says));
  for (const [index, words] of ['still far', 'bottom', 'bottom', 'overshoots', 'more than at the start'].entries())
    expect(says[index]).toContain(words);
  expect(ends[2]).toBeLessThan(must(ends[0], 'a loss'));
});

test('pictures at both widths, for all knobs', () => holdsForAllKnobs(kind, drawing));

test('a net with more weights is refused', async () => {
  const { store } = await recordRun(linkOf('mode=single&layers=2-2-1&batch=32&at=1'));
  await expect(lossSurface(store.getState().config, { from: 0, to: 1, cells: 1 }, 0)).rejects.toThrow('two weights');
});
