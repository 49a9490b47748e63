/**
 * The exhibits that are scripts over process groups: what is raised, on which ranks, and that the cure runs to its end.
 */
import { expect, test } from 'vitest';
import { onStillClock } from '../base/testing/still-clock';
import { rehearse as rehearseNow } from './scripts';

const rehearse = (...given: Parameters<typeof rehearseNow>) => onStillClock(() => rehearseNow(...given));

const raised = async (...given: Parameters<typeof rehearse>) =>
  (await rehearse(...given)).lines.filter(({ kind }) => kind === 'raises');

test('another order of collectives: every rank learns which two meet', async () => {
  const errors = await raised('order', false);
  expect(errors.map(({ rank }) => rank).sort()).toEqual([0, 1, 2]);
  for (const { text } of errors) {
    expect(text).toContain('Detected mismatch between collectives on ranks');
    expect(text).toContain('TensorShape=[1]');
    expect(text).toContain('TensorShape=[4]');
  }
  const cured = await rehearse('order', true);
  expect(cured.lines.filter(({ kind }) => kind === 'raises')).toEqual([]);
  const gradients = cured.lines.filter(({ text }) => text.startsWith('grad ='));
  expect(gradients.map(({ text }) => text)).toEqual(Array(3).fill('grad = [6, 6, 6, 6]'));
});

test('evaluation on rank 0 through the wrapper: its broadcast meets the barrier of the others', async () => {
  const errors = await raised('rank0-eval', false);
  expect(errors.map(({ rank }) => rank).sort()).toEqual([0, 1, 2]);
  for (const { text } of errors) expect(text).toMatch(/BROADCAST[\s\S]*BARRIER|BARRIER[\s\S]*BROADCAST/);
  expect(await raised('rank0-eval', true)).toEqual([]);
});

test('every rank saves: the file is a patchwork; of rank 0 alone it is whole', async () => {
  const wrong = await rehearse('every-rank-saves', false);
  const pieces = wrong.lines.filter(({ text }) => text.endsWith("'s"));
  expect(new Set(pieces.map(({ text }) => text.slice(-3))).size).toBeGreaterThan(1);
  expect(wrong.lines.at(-1)?.text).toMatch(/torn$/);
  expect(wrong.lines.filter(({ text }) => text.startsWith('open'))).toHaveLength(3);
  const right = await rehearse('every-rank-saves', true);
  expect(right.lines.at(-1)?.text).toMatch(/whole$/);
  expect(right.lines.filter(({ text }) => text.startsWith('open'))).toHaveLength(1);
});
