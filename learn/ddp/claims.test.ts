/** What the lesson says of replicas, asked of runs. */
import { describe, expect, test } from 'vitest';
import { must } from '../../src/base/invariant';
import { measure } from '../../src/lessons/facts/quantities';
import type { Changes } from '../../src/lessons/lesson';
import { claimsOf } from '../../src/lessons/testing/claims';
import { momentsOf } from '../../src/trace/moments/moments';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);
const APART = { rankSeeds: 'beforeModel', initSync: '0' };

async function traceOf(figure: string, changes?: Changes) {
  return must((await facts(figure, changes)).trace, 'a step');
}

describe('a step', () => {
  test('no rank does anything that the others do not', async () => {
    const { events } = await traceOf('step');
    const work = [0, 1, 2, 3].map((rank) =>
      events
        .filter(({ device }) => device === rank)
        .map(({ kind, name, phase, module }) => [phase, kind, name, module]),
    );
    for (const others of work.slice(1)) expect(others.map(String).sort()).toEqual(work[0]?.map(String).sort());
  });

  test('losses differ from rank to rank, weights do not', async () => {
    const losses = await Promise.all(([0, 1, 2, 3] as const).map((rank) => value(`lossOfRank:${rank}`, 'apart')));
    expect(new Set(losses).size).toBe(4);
    expect(await value('divergence', 'apart')).toBe(0);
  });

  test('ranks send gradients, in the reduction, and nothing else', async () => {
    const { events } = await traceOf('step');
    const sent = events.filter(({ kind }) => kind === 'send');
    expect(sent.length).toBeGreaterThan(0);
    expect([...new Set(sent.map(({ collective }) => collective?.op))]).toEqual(['allReduce']);
  });

  test('DataParallel sends weights in every step, and its first device far more than a rank of DDP', async () => {
    const { events } = await traceOf('step', { mode: 'dp' });
    expect(events.some(({ kind, phase }) => kind === 'send' && phase === 'replicate')).toBe(true);
    expect(await value('bytesPerRank', 'step', { mode: 'dp' })).toBeGreaterThan(
      2 * (await value('bytesPerRank', 'step')),
    );
    const { metrics } = await facts('step');
    const sent = must(metrics, 'numbers').traffic.sent;
    // A chunk of two values more or less.
    expect(Math.max(...sent) - Math.min(...sent)).toBeLessThan(32);
  });
});

describe('the start', () => {
  test('the constructor sends every parameter, from rank 0 only', async () => {
    const { app, info } = await facts('construct');
    const events = app.traces[0]?.events.filter(({ kind }) => kind === 'send') ?? [];
    expect(new Set(events.map(({ device }) => device))).toEqual(new Set([0]));
    const names = new Set(events.flatMap(({ reads }) => reads));
    expect(names.size).toBe(must(info, 'a run').parameters.length);
  });

  test('different seeds end with equal replicas, to the bit; without the broadcast they never do', async () => {
    expect(await value('divergence', 'apart', { rankSeeds: 'beforeModel' })).toBe(0);
    expect(await value('divergence', 'apart', { initSync: '0' })).toBe(0);
    const early = await value('divergence', 'apart', { ...APART, at: '1' });
    const late = await value('divergence', 'apart', APART);
    expect(early).toBeGreaterThan(0.1);
    expect(late / early).toBeGreaterThan(0.8);
  });

  test('with different replicas the loss is higher, and nothing fails', async () => {
    expect(await value('loss', 'apart', APART)).toBeGreaterThan(
      await value('loss', 'apart', { rankSeeds: 'beforeModel' }),
    );
    const { app } = await facts('apart', APART);
    expect(app.notices.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('one device', () => {
  test.each(['2', '4', '8'])('%s ranks differ from it by rounding, and among themselves by nothing', async (world) => {
    const difference = await value('difference', 'whole', { world });
    expect(difference).toBeGreaterThan(0);
    expect(difference).toBeLessThan(1e-5);
    expect(await value('divergence', 'whole', { world })).toBe(0);
    expect(await value('effectiveBatch', 'whole', { world })).toBe(64);
  });

  test('with a summed loss the weights differ from those of one device', async () => {
    expect(await value('difference', 'whole', { reduction: 'sum', opt: 'sgd', lr: '0.003' })).toBeGreaterThan(1e-3);
  });

  test('the loss of the step is the mean over the ranks', async () => {
    const { app } = await facts('apart');
    const last = must(app.losses.at(-1), 'a loss');
    expect(last.loss).toBeCloseTo(last.perRank.reduce((a, b) => a + b, 0) / 4, 6);
  });
});

describe('predictions and tasks', () => {
  test.each([
    ['seeds', [false, false, true]],
    ['rounding', [false, true, false]],
  ])('%s has the right choice that the text gives', async (id, right) => {
    const { answer, guess } = must(lesson.predictions[id], id);
    const known = await facts(answer.figure, answer.with);
    const number = must(measure(known, answer.of), answer.of);
    expect(guess.kind === 'choice' && guess.choices.map((choice) => choice.right(number, known))).toEqual(right);
  });

  test.each(['exchanged', 'apart'])('%s is not done at the beginning and done by its solution', async (id) => {
    const task = must(lesson.tasks[id], id);
    const [first] = task.solution;
    const changes = typeof first === 'object' && 'set' in first ? first.set : {};
    expect(task.done(await facts(task.figure))).toBe(false);
    expect(task.done(await facts(task.figure, changes))).toBe(true);
  });

  test('after the exchange the gradients are copied back, then the weights change', async () => {
    const trace = await traceOf('step');
    expect(
      momentsOf(trace)
        .slice(19)
        .map(({ kind }) => kind),
    ).toEqual(['round', 'copy', 'update']);
    for (const moment of ['19', '21'])
      expect(lesson.tasks['exchanged']?.done(await facts('step', { moment }))).toBe(false);
  });

  test('either control alone keeps the replicas equal', async () => {
    for (const changes of [{ rankSeeds: 'beforeModel' }, { initSync: '0' }])
      expect(lesson.tasks['apart']?.done(await facts('apart', changes))).toBe(false);
  });

  test('the correction restores the broadcast, with the same different seeds', async () => {
    const done = async (changes: Changes, pressed: readonly string[]) =>
      lesson.tasks['cure']?.done({ ...(await facts('apart', changes)), pressed });
    const both = ['rankSeeds=beforeModel', 'initSync=0', 'initSync=1'];
    expect(await done({ rankSeeds: 'beforeModel', initSync: '1' }, both)).toBe(true);
    expect(await done({}, both)).toBe(false);
    expect(await done(APART, both)).toBe(false);
    expect(await done({ rankSeeds: 'beforeModel' }, both.slice(0, 2))).toBe(false);
    expect(await done({ rankSeeds: 'beforeModel' }, both.slice(0, 1))).toBe(false);
  });
});
