/**
 * What the lesson on meshes says, held against runs.
 *
 * @module-tag rest: the runs that it speaks of are held by three-axes.test.ts; the claims of other lessons are asked in
 * the same way.
 */
import { describe, expect, test } from 'vitest';
import { must } from '../../src/base/invariant';
import { TOPICS } from '../../src/lessons/drawing/at-size/at-size';
import { chosenOf, START } from '../../src/lessons/drawing/at-size/topic';
import { claimsOf } from '../../src/lessons/testing/claims';
import { momentsOf } from '../../src/trace/moments/moments';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);
const CUBE = { pp: '2', dp: '2', tp: '2' };

const traceOf = async (figure: string, changes: Readonly<Record<string, string>> = {}) =>
  must((await facts(figure, changes)).trace, 'a step');

const right = async (name: 'rows' | 'cross') => {
  const { answer, guess } = must(lesson.predictions[name], name);
  const [found, of] = [await value(answer.of, answer.figure, answer.with), await facts(answer.figure, answer.with)];
  return guess.kind === 'choice'
    ? guess.choices.filter((choice) => choice.right(found, of)).map(({ text }) => text)
    : [String(found)];
};

describe('a place for every rank', () => {
  test('groups along tp, dp and pp differ by 1, 2 and 4; there are four of each', async () => {
    const { events } = await traceOf('cube');
    const groups = (axis: string) =>
      [
        ...new Set(
          events.flatMap(({ collective }) => {
            const { group } = collective ?? {};
            return group?.axis === axis ? [group.ranks.join(' ')] : [];
          }),
        ),
      ].toSorted();
    expect(groups('tp')).toEqual(['0 1', '2 3', '4 5', '6 7']);
    expect(groups('dpReplicate')).toEqual(['0 2', '1 3', '4 6', '5 7']);
    const between = events.filter(({ kind, collective }) => kind === 'send' && !collective);
    const pairs = between.map(({ device, peer = device }) =>
      [Math.min(device, peer), Math.max(device, peer)].join(' '),
    );
    expect([...new Set(pairs)].toSorted()).toEqual(['0 4', '1 5', '2 6', '3 7']);
  });

  test('messages along pp are activations and, in backward, their gradients', async () => {
    const { events } = await traceOf('cube');
    const between = events.filter(({ kind, collective }) => kind === 'send' && !collective);
    expect([...new Set(between.map(({ payload, phase }) => `${phase} ${payload}`))].toSorted()).toEqual([
      'backward gradient',
      'forward activation',
    ]);
  });

  test('ranks 0, 1, 4 and 5 have the same rows, the others have others', async () => {
    const { samples } = await traceOf('cube');
    const own = samples[0]?.join();
    expect(samples.flatMap((rows, rank) => (rows.join() === own ? [rank] : []))).toEqual([0, 1, 4, 5]);
    expect(samples[2]?.filter((row) => samples[0]?.includes(row))).toEqual([]);
  });
});

describe('what each axis divides', () => {
  test('pp and tp divide the parameters, but for the blocks of small biases; dp does not', async () => {
    const kept = (changes: Readonly<Record<string, string>>) => value('parameterMemory:0', 'divide', changes);
    const whole = await kept({});
    expect(await kept({ pp: '2' })).toBe(whole / 2);
    const quarter = await kept(CUBE);
    expect(quarter).toBeGreaterThan(whole / 4);
    expect(quarter).toBeLessThan(1.15 * (whole / 4));
    expect(await kept({ ...CUBE, dp: '4' })).toBe(quarter);
    for (const of of ['gradientMemory:0', 'optimizerMemory:0'] as const)
      expect((await value(of, 'divide', {})) / (await value(of, 'divide', CUBE))).toBeGreaterThan(3);
  });

  test('dp divides the rows and the activations', async () => {
    expect(await value('rowsPerRank', 'divide')).toBe(32);
    expect(await value('rowsPerRank', 'divide', { dp: '4' })).toBe(8);
    expect(await right('rows')).toEqual(['16']);
    const kept = (dp: string) => value('activationMemory:0', 'divide', { dp });
    expect(await kept('4')).toBeLessThan((await kept('1')) / 2);
  });

  test('weights of the mesh are those of one device, within rounding', async () => {
    const difference = await value('difference', 'divide', { ...CUBE, at: '40', compare: '1' });
    expect(difference).toBeGreaterThan(0);
    expect(difference).toBeLessThan(1e-4);
  });
});

describe('which messages use which link', () => {
  test('on two nodes only pp crosses, on four pp and dp, on eight all', async () => {
    const along = async (nodes: string, ...axes: readonly ('pp' | 'dp' | 'tp')[]) =>
      (await Promise.all(axes.map((axis) => value(`bytesAlong:${axis}`, 'links', { nodes })))).reduce((a, b) => a + b);
    expect(await value('bytesBetweenNodes', 'links', { nodes: '2' })).toBe(await along('2', 'pp'));
    expect(await value('bytesBetweenNodes', 'links', { nodes: '4' })).toBe(await along('4', 'pp', 'dp'));
    expect(await value('bytesBetweenNodes', 'links', { nodes: '8' })).toBe(await along('8', 'pp', 'dp', 'tp'));
    expect(await value('bytesInAll', 'links', { nodes: '8' })).toBe(await along('8', 'pp', 'dp', 'tp'));
    expect(await right('cross')).toEqual(['The activations between stages, and the gradients of the replicas']);
  });

  test('pp sends least', async () => {
    const along = (axis: 'pp' | 'dp' | 'tp') => value(`bytesAlong:${axis}`, 'links');
    expect(await along('pp')).toBeLessThan(Math.min(await along('dp'), await along('tp')) / 2);
  });

  test('the slow network between stages costs little, inside tensor groups much', async () => {
    const step = (nodes: string) => value('stepTime', 'links', { nodes });
    const one = await step('1');
    expect((await step('2')) / one).toBeLessThan(1.03);
    expect((await step('4')) / one).toBeLessThan(1.05);
    expect((await step('8')) / one).toBeGreaterThan(1.15);
  });

  test('all-reduces along tp in every pair of layers; along dp a part is hidden', async () => {
    const { events } = await traceOf('links');
    const phases = new Set(
      events.flatMap(({ collective, phase }) => (collective?.group?.axis === 'tp' ? [phase] : [])),
    );
    expect(phases).toEqual(new Set(['forward', 'backward']));
    expect(await value('hidden', 'links')).toBeGreaterThan(0.2);
  });
});

describe('at a real size', () => {
  test('70 billion weights fit on an A100 only after several cuts; replicas do not change the memory', () => {
    const show = (changes: Readonly<Record<string, string>>) =>
      must(TOPICS['meshes'], 'the topic').show(
        chosenOf({ ...START, ...must(TOPICS['meshes'], 'the topic').start, ...changes }),
      );
    const each = (changes: Readonly<Record<string, string>>) =>
      must(
        show(changes).values.find(({ id }) => id === 'each'),
        'memory',
      ).value;
    expect(each({ own: 'tp 1, pp 1' })).toBeGreaterThan(1.1e12);
    expect(each({ own: 'tp 8, pp 8' })).toBeLessThan(40e9);
    expect(each({ ranks: '64' })).toBe(each({ ranks: '2' }));
  });
});

describe('tasks', () => {
  test('averaging is found by stepping, not given', async () => {
    const { average } = lesson.tasks;
    const trace = await traceOf('cube');
    const first = momentsOf(trace).findIndex(({ events }) =>
      events.some((event) => trace.events[event]?.collective?.group?.axis === 'dpReplicate'),
    );
    expect(first).toBe(37);
    // The solution goes there and steps once: the next moment is another round of the same all-reduce.
    const there = await facts('cube', { moment: String(first + 2) });
    expect(average?.done(await facts('cube'))).toBe(false);
    expect(average?.done({ ...there, pressed: ['moment'] })).toBe(true);
  });

  test('two of each axis keep less than a third; more replicas alone do not', async () => {
    const done = async (changes: Readonly<Record<string, string>>) =>
      lesson.tasks['keep']?.done(await facts('divide', changes));
    expect(await done({})).toBe(false);
    expect(await done({ dp: '4' })).toBe(false);
    expect(await done({ pp: '4', tp: '2' })).toBe(false);
    expect(await done(CUBE)).toBe(true);
  });

  test('only stages send between nodes on two nodes', async () => {
    const done = async (nodes: string) => lesson.tasks['apart']?.done(await facts('links', { nodes }));
    expect([await done('1'), await done('2'), await done('4'), await done('8')]).toEqual([false, true, false, false]);
  });
});
