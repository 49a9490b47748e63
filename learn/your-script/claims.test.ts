/** What the lesson on converting a script says about the figures, held against runs; torch runs the scripts apart. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { lineDiff } from '../../src/lessons/page/line-diff';
import { claimsOf } from '../../src/lessons/testing/claims';
import { lesson } from './lesson';

const { value, facts } = claimsOf(lesson);
const { copied, misled, everywhere } = lesson.tasks;
const linesOf = (name: string) =>
  readFileSync(new URL(`./scripts/${name}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');

test('the ranks share the batch of the script', async () => {
  expect(await value('effectiveBatch', 'shares')).toBe(64);
  expect(await value('rowsPerRank', 'shares')).toBe(16);
});

test('205 rows on four ranks: 208 are counted, 205 of them different', async () => {
  const padded = { samples: '205', batch: '256', world: '4' };
  expect(await value('rowsRead', 'shares', padded)).toBe(208);
  expect(await value('differentRows', 'shares', padded)).toBe(205);
});

test('every Nth row from row r: all 205 rows, each once, but not the same number for every rank', () => {
  const own = [0, 1, 2, 3].map((rank) =>
    Array.from({ length: 205 }, (_, row) => row).filter((row) => row % 4 === rank),
  );
  expect(new Set(own.flat()).size).toBe(205);
  expect(own.map(({ length }) => length)).toEqual([52, 51, 51, 51]);
});

test('the loss of the step is the mean of the losses of the ranks, which differ', async () => {
  const own = await Promise.all([0, 1, 2, 3].map((rank) => value(`lossOfRank:${rank}`, 'logged')));
  expect(new Set(own).size).toBe(4);
  expect(own.reduce((sum, loss) => sum + loss, 0) / 4).toBeCloseTo(await value('loss', 'logged'), 6);
});

test('after the last round every rank holds both sums', async () => {
  const rounds = await value('rounds', 'counts');
  expect(rounds).toBe(6);
});

describe('tasks', () => {
  test('copied: 64 rows on each of four ranks', async () => {
    expect(copied?.done(await facts('shares'))).toBe(false);
    expect(copied?.done(await facts('shares', { world: '8', batch: '512' }))).toBe(false);
    expect(copied?.done(await facts('shares', { batch: '256' }))).toBe(true);
  });

  test('misled: not where the figure begins, but with eight ranks', async () => {
    expect(misled?.done(await facts('logged'))).toBe(false);
    expect(misled?.done(await facts('logged', { world: '8', at: '21' }))).toBe(true);
  });

  test('everywhere: after the last round only', async () => {
    const at = async (round: number) => everywhere?.done(await facts('counts', { round: `${round}` }));
    expect(await Promise.all([0, 3, 5, 6].map(at))).toEqual([false, false, false, true]);
  });
});

test('the difference of the scripts: the four conversions are new, forward, backward and the optimiser stay', () => {
  const lines = lineDiff(linesOf('one_gpu.py'), linesOf('many_gpus.py'));
  const fresh = lines.filter(({ kind }) => kind === 'in').map(({ text }) => text);
  for (const words of [
    'DistributedSampler(train_set)',
    'batch_size=64 // world_size',
    'dist.all_reduce(counts)',
    'dist.all_reduce(sums)',
    'evaluate(model.module',
    'model.module.state_dict()',
    'if rank == 0:',
    'set_epoch(epoch)',
  ])
    expect(
      fresh.some((line) => line.includes(words)),
      words,
    ).toBe(true);
  const same = lines.filter(({ kind }) => kind === 'same').map(({ text }) => text.trim());
  for (const line of [
    'loss = loss_fn(model(x), y)',
    'loss.backward()',
    'optimizer.step()',
    "first = saved['epoch'] + 1",
  ])
    expect(same).toContain(line);
});
