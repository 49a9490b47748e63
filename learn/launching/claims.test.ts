/** What the lesson on launching says, held against runs. */
import { describe, expect, test } from 'vitest';
import { lineDiff } from '../../src/lessons/page/line-diff';
import { claimsOf } from '../../src/lessons/testing/claims';
import { lesson } from './lesson';

const { value, facts, run } = claimsOf(lesson);
const { place, fewer } = lesson.tasks;
const rightOf = (guess: (typeof lesson.predictions)[string]['guess'] | undefined) =>
  guess?.kind === 'choice' ? guess.choices.map(({ right }) => right) : [];

test('no sample is loaded twice', async () => {
  const { trace } = await facts('who');
  const loaded = trace?.samples.flat() ?? [];
  expect(loaded).toHaveLength(32);
  expect(new Set(loaded).size).toBe(32);
});

test('the head of a room says the rank, its node and its GPU there', async () => {
  const { info } = await facts('who');
  expect(info?.roles.map(({ title, beside }) => `${title}, ${beside}`)).toEqual([
    'rank 0, node 0, cuda:0',
    'rank 1, node 0, cuda:1',
    'rank 2, node 1, cuda:0',
    'rank 3, node 1, cuda:1',
  ]);
});

test('rank 3 is the second process of the second node; rank 1 has the same local rank', async () => {
  expect(await value('ranks', 'who')).toBe(4);
  expect(await value('groupRank:3', 'who')).toBe(1);
  expect(await value('localRank:3', 'who')).toBe(1);
  expect(await value('localRank:1', 'who')).toBe(1);
  expect(await value('groupRank:1', 'who')).toBe(0);
});

test('of eight processes on two nodes rank 6 is local rank 2, and rank 4 the first of its node', async () => {
  expect(await value('localRank:6', 'who', { world: '8' })).toBe(2);
  expect(await value('localRank:4', 'who', { world: '8' })).toBe(0);
  expect(await value('groupRank:3', 'who', { world: '8' })).toBe(0);
});

test('on one node rank and local rank are the same', async () => {
  const { info } = await facts('across', { nodes: '1' });
  expect(info?.environment.map(({ LOCAL_RANK }) => LOCAL_RANK)).toEqual([0, 1, 2, 3]);
});

test('two nodes make the step more than twice as long, though half of the bytes stay within a node', async () => {
  const one = await value('stepTime', 'across', { nodes: '1' });
  const two = await value('stepTime', 'across');
  expect(two).toBeGreaterThan(2.5 * one);
  expect(await value('bytesBetweenNodes', 'across')).toBe((await value('bytesInAll', 'across')) / 2);
  const answer = await facts('across');
  expect(rightOf(lesson.predictions['apart']?.guess).map((right) => right(two, answer))).toEqual([false, false, true]);
});

test.each([4, 8, 16])('two links of a ring of %i ranks over two nodes cross', async (ranks) => {
  const { lab } = await facts('ring', { ranks: `${ranks}`, length: '64' });
  const crossing = lab?.rounds.map(
    ({ transfers }) => transfers.filter(({ from, to }) => lab.nodeOf[from] !== lab.nodeOf[to]).length,
  );
  expect(new Set(crossing)).toEqual(new Set([2]));
});

test('in the ring each rank sends to the rank below it, and rank 0 to the last rank', async () => {
  const { lab } = await facts('ring');
  const transfers = lab?.rounds.flatMap((round) => round.transfers) ?? [];
  expect(transfers.length).toBeGreaterThan(0);
  expect(transfers.filter(({ from, to }) => to !== (from + 7) % 8)).toEqual([]);
});

test('hierarchical: fewer bytes cross, in two rounds only, and it takes less time', async () => {
  const hierarchical = { algorithm: 'hierarchical' };
  for (const of of ['bytesBetweenNodes', 'stepTime'] as const)
    expect(await value(of, 'ring', hierarchical)).toBeLessThan(await value(of, 'ring'));
  const { lab } = await facts('ring', hierarchical);
  const leaves = lab?.rounds.filter(({ transfers }) =>
    transfers.some(({ from, to }) => lab.nodeOf[from] !== lab.nodeOf[to]),
  );
  expect(leaves).toHaveLength(2);
});

describe('tasks', () => {
  test('place: four nodes with two processes each', async () => {
    expect(place?.done(await facts('who'))).toBe(false);
    expect(place?.done(await facts('who', { world: '8' }))).toBe(false);
    expect(place?.done(await facts('who', { world: '8', nodes: '4' }))).toBe(true);
  });

  test('fewer: only the hierarchical algorithm, on two nodes', async () => {
    expect(fewer?.done(await facts('ring'))).toBe(false);
    expect(fewer?.done(await facts('ring', { algorithm: 'naive' }))).toBe(false);
    expect(fewer?.done(await facts('ring', { nodes: '1' }))).toBe(false);
    expect(fewer?.done(await facts('ring', { algorithm: 'hierarchical' }))).toBe(true);
  });
});

test('the difference of the scripts: the new lines join, choose the GPU, wrap and deal; forward and backward stay', async () => {
  const before = await run('who', { mode: 'single', nodes: '1' });
  const after = await run('who');
  const textsOf = ({ listing }: typeof before) => listing.map(({ text }) => text);
  const lines = lineDiff(textsOf(before), textsOf(after));
  const fresh = lines.filter(({ kind }) => kind === 'in').map(({ text }) => text.trim());
  for (const words of [
    'init_process_group',
    "os.environ['LOCAL_RANK']",
    'set_device(device)',
    'model = DistributedDataParallel(model',
    'sampler = DistributedSampler(',
    'sampler.set_epoch(epoch)',
    'destroy_process_group',
  ])
    expect(
      fresh.some((line) => line.includes(words)),
      words,
    ).toBe(true);
  const same = lines.filter(({ kind }) => kind === 'same').map(({ text }) => text.trim());
  for (const line of ['optimizer.zero_grad()', 'output = model(x)', 'loss.backward()', 'optimizer.step()'])
    expect(same).toContain(line);
});
