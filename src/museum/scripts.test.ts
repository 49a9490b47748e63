/**
 * The exhibits that are scripts over process groups: the errors, the ranks that raise them, and that the cure runs to
 * its end.
 */
import { expect, test } from 'vitest';
import { onStillClock } from '../base/testing/still-clock';
import { rehearse as rehearseNow } from './scripts';

const rehearse = (...given: Parameters<typeof rehearseNow>) => onStillClock(() => rehearseNow(...given));

const raised = async (...given: Parameters<typeof rehearse>) =>
  (await rehearse(...given)).lines.filter(({ kind }) => kind === 'raises');

test('another order of collectives: the error on every rank names the two mismatched calls', async () => {
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

test('every rank saves: the file mixes bytes of all ranks; if only rank 0 saves, the file is right', async () => {
  const wrong = await rehearse('every-rank-saves', false);
  const pieces = wrong.lines.filter(({ text }) => text.endsWith("'s"));
  expect(new Set(pieces.map(({ text }) => text.slice(-3))).size).toBeGreaterThan(1);
  expect(wrong.lines.at(-1)?.text).toMatch(/torn$/);
  expect(wrong.lines.filter(({ text }) => text.startsWith('open'))).toHaveLength(3);
  const right = await rehearse('every-rank-saves', true);
  expect(right.lines.at(-1)?.text).toMatch(/whole$/);
  expect(right.lines.filter(({ text }) => text.startsWith('open'))).toHaveLength(1);
});

/** Finds, per rank, the numbers in the first line that begins with these words. */
async function found(...given: Parameters<typeof rehearse>) {
  const { lines } = await rehearse(...given);
  const has = (rank: number) =>
    lines.filter((line) => line.kind === 'has' && line.rank === rank).map(({ text }) => text);
  return (rank: number, words: string): readonly number[] => {
    const line = has(rank).find((text) => text.startsWith(words)) ?? '';
    return (line.slice(words.length).match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
  };
}

const ONE_DEVICE = 'what one device computes for these samples';
const ON_ONE = 'the checkpoint on one device';

test('a group whose ranks read different batches: one answer, wrong for both; the biases diverge', async () => {
  const wrong = await found('own-batches', false);
  expect(wrong(0, 'samples')).toEqual([0, 2, 4, 6]);
  expect(wrong(1, 'samples')).toEqual([1, 3, 5, 7]);
  expect(wrong(0, 'out')).toEqual(wrong(1, 'out'));
  for (const rank of [0, 1]) expect(wrong(rank, 'out')).not.toEqual(wrong(rank, ONE_DEVICE));
  const bias = (of: typeof wrong) => [0, 1].map((rank) => of(rank, 'after 100 steps, bias')[0] ?? Number.NaN);
  const [own = 0, other = 0] = bias(wrong);
  expect(Math.abs(own - other)).toBeGreaterThan(0.2);
  expect(wrong(0, ON_ONE)[0]).toBeGreaterThan(1);
  const right = await found('own-batches', true);
  for (const rank of [0, 1]) {
    expect(right(rank, 'samples')).toEqual([0, 1, 2, 3]);
    expect(right(rank, 'out')).toEqual(right(rank, ONE_DEVICE));
  }
  const [alike, same] = bias(right);
  expect(alike).toBe(same);
  expect(right(0, ON_ONE)[0]).toBeLessThan(0.01);
});

test('logging on rank 0: its all-gather meets the all-reduce of rank 1', async () => {
  const errors = await raised('rank0-logs', false);
  expect(errors.map(({ rank }) => rank).sort()).toEqual([0, 1]);
  for (const { text } of errors) expect(text).toMatch(/ALLGATHER[\s\S]*ALLREDUCE|ALLREDUCE[\s\S]*ALLGATHER/);
  expect(await raised('rank0-logs', true)).toEqual([]);
});

test('a bias added once per rank: training hides it, one device shows it', async () => {
  const wrong = await found('bias-twice', false);
  // The bias before training is 0.5.
  const extra = wrong(0, 'out').map((value, i) => value - (wrong(0, ONE_DEVICE)[i] ?? 0));
  expect(extra).toHaveLength(4);
  for (const value of extra) expect(value).toBeCloseTo(0.5, 5);
  const reached = 'after 100 steps, loss';
  expect(wrong(0, reached)[0]).toBeLessThan(0.01);
  expect(wrong(0, ON_ONE)[0]).toBeGreaterThan(1);
  const right = await found('bias-twice', true);
  expect(right(0, 'out')).toEqual(right(0, ONE_DEVICE));
  expect(right(0, ON_ONE)[0]).toBe(right(0, reached)[0]);
});

test('an optimiser made before sharding: it holds parameters without gradients, and nothing is trained', async () => {
  const wrong = await found('optimizer-first', false);
  const [before, after] = ['before training, loss', 'after 40 steps, loss'] as const;
  expect(wrong(0, after)[0]).toBe(wrong(0, before)[0]);
  const held = async (cured: boolean) =>
    (await rehearse('optimizer-first', cured)).lines.filter(({ text }) => text.startsWith('None')).length;
  expect(await held(false)).toBe(2);
  expect(await held(true)).toBe(0);
  const right = await found('optimizer-first', true);
  expect(right(0, before)[0]).toBeGreaterThan(1);
  expect(right(0, after)[0]).toBeLessThan(0.05);
});

test('clipping by the norm of own shards: a factor per rank, and other weights than one device has', async () => {
  const wrong = await found('own-norm', false);
  const norms = (of: typeof wrong) => [0, 1].map((rank) => of(rank, 'norm')[0] ?? Number.NaN);
  const [own = 0, other = 0] = norms(wrong);
  const one = wrong(0, 'one device: norm')[0] ?? Number.NaN;
  expect(own).not.toBeCloseTo(other, 1);
  expect(Math.hypot(own, other)).toBeCloseTo(one, 2);
  expect(wrong(0, 'after 20 steps, largest difference from one device')[0]).toBeGreaterThan(0.05);
  const right = await found('own-norm', true);
  expect(norms(right)).toEqual([one, one]);
  expect(right(0, 'after 20 steps, largest difference from one device')).toEqual([0]);
});

test("rank 0's shard saved as the model: it trains, and cannot be loaded; the cure is the trained model", async () => {
  const [error] = await raised('rank0-shard', false);
  expect(error?.text).toContain('size mismatch for 0.weight');
  expect(error?.text).toContain('torch.Size([2, 2]) from checkpoint, the shape in current model is torch.Size([4, 2])');
  expect(error?.text).not.toContain('2.bias');
  expect(await raised('rank0-shard', true)).toEqual([]);
  const right = await found('rank0-shard', true);
  expect(right(0, 'loss')[0]).toBe(right(0, 'after 40 steps, loss')[0]);
  expect(right(0, 'loss')[0]).toBeLessThan(0.05);
});
