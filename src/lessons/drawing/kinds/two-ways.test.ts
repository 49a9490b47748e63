/** The morph from one way to the other is made of the messages of two real runs; the ends are these runs. */
import { expect, test } from 'vitest';
import { lesson } from '../../../../learn/all-reduce/lesson';
import { must } from '../../../base/invariant';
import { recordRun } from '../../record/record-run';
import { linkOf } from '../../run-link';
import { drawingOf, holdsForAllKnobs } from '../../testing/drawn';
import { hopsOf, kind, sentBy, type WaysOf } from './two-ways';

const drawing = drawingOf(lesson, 'ways', kind);
const ways = async (ranks: number) =>
  must((await drawing.data) as readonly WaysOf[], 'data').find((own) => own.ranks === ranks);

test.each([4, 8])('%i ranks: the ends send what the runs of the lab have sent, rank by rank', async (ranks) => {
  const own = must(await ways(ranks), 'runs');
  for (const [algorithm, quarters] of [
    ['naive', 0],
    ['ring', 4],
  ] as const) {
    const { lab } = await recordRun(linkOf(`lab=allReduce(algorithm:${algorithm},ranks:${ranks},length:48)`));
    const hops = hopsOf(own, quarters);
    expect(Array.from({ length: ranks }, (_, rank) => sentBy(hops, rank))).toEqual(lab?.bytesSent);
  }
});

test('every hop of one way has its hop in the other, and the total never changes', async () => {
  const own = must(await ways(8), 'runs');
  const names = (hops: WaysOf['ring']) => hops.map(({ part, chunk, index }) => `${part} ${chunk} ${index}`).sort();
  expect(names(own.ring)).toEqual(names(own.naive));
  const totals = await Promise.all(['0', '1', '2', '3', '4'].map((part) => drawing.value('total', { part })));
  expect(new Set(totals).size).toBe(1);
  const first = await Promise.all(['0', '1', '2', '3', '4'].map((part) => drawing.value('first', { part })));
  expect(first.toSorted((a, b) => b - a)).toEqual(first);
});

test('pictures at both widths, for all knobs', () => holdsForAllKnobs(kind, drawing));
