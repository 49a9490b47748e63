/**
 * What the lesson on tensor parallelism says, held against runs.
 *
 * @module-tag rest: the runs that it speaks of are held by tensor.test.ts and tensor-pair.test.ts; the claims of other
 * lessons are asked in the same way.
 */
import { describe, expect, test } from 'vitest';
import { must } from '../../src/base/invariant';
import { parseConfig } from '../../src/config/parse-config';
import { runConfig } from '../../src/headless/run';
import { linkOf, readLink } from '../../src/lessons/run-link';
import { claimsOf } from '../../src/lessons/testing/claims';
import { lesson } from './lesson';
import { BY_SEQUENCE, COLUMNS_FIRST, ONLY_COLUMNS, ROWS_FIRST } from './plans';

const { facts, value } = claimsOf(lesson);
const { sum, cheapest, inside } = lesson.tasks;
const OPS = ['allReduces', 'allGathers', 'reduceScatters'] as const;

const counts = (figure: string, changes = {}) => Promise.all(OPS.map((of) => value(of, figure, changes)));

/** Of a step, as rank 0 calls them. */
const collectivesOf = async (figure: string, changes = {}) =>
  must((await facts(figure, changes)).info?.plan, 'a plan').collectives;

const right = async (name: 'pair' | 'hidden') => {
  const { answer, guess } = must(lesson.predictions[name], name);
  const [found, of] = [await value(answer.of, answer.figure), await facts(answer.figure)];
  return guess.kind === 'choice'
    ? guess.choices.filter((choice) => choice.right(found, of)).map(({ text }) => text)
    : [];
};

describe('one product, two cuts', () => {
  test('each of two ranks has half of both weights; the bias behind the rows is whole', async () => {
    const { info } = await facts('cut');
    const shape = (name: string) => info?.buffers.filter((own) => own.name === name).map((own) => own.shape);
    expect(shape('0.weight')).toEqual([
      [4, 4],
      [4, 4],
    ]);
    expect(shape('2.weight')).toEqual([
      [4, 4],
      [4, 4],
    ]);
    expect(shape('0.bias')).toEqual([[4], [4]]);
    expect(shape('2.bias')).toEqual([[4], [4]]);
  });

  test('both ranks load the same rows', async () => {
    const { trace } = await facts('cut');
    expect(trace?.samples[1]).toEqual(trace?.samples[0]);
    expect(trace?.samples[0]).toHaveLength(4);
  });

  test('the only collective of the step sums the addends of layer 2, each as large as its output', async () => {
    expect(await collectivesOf('cut')).toMatchObject([
      { op: 'allReduce', module: '2', phase: 'forward', bytes: 4 * 4 * 4 },
    ]);
    expect(await counts('cut')).toEqual([1, 0, 0]);
    expect(await counts('cut', { tp: '4' })).toEqual([1, 0, 0]);
    expect(await right('pair')).toEqual(['One']);
  });

  test('the result is that of one device, within rounding', async () => {
    expect(await value('difference', 'cut', { at: '40', compare: '1' })).toBeLessThan(1e-6);
  });
});

describe('why columns come first', () => {
  test('rows, columns: a sum forward, a sum backward, and a gather', async () => {
    const found = await collectivesOf('order');
    expect(found.map(({ op, module, phase }) => [op, module, phase])).toEqual([
      ['allReduce', '0', 'forward'],
      ['allGather', '2', 'forward'],
      ['allReduce', '2', 'backward'],
    ]);
    expect(await counts('order', { plan: ROWS_FIRST })).toEqual([2, 1, 0]);
  });

  test('columns twice: gathers, and a sum in backward', async () => {
    expect(await counts('order', { plan: ONLY_COLUMNS })).toEqual([1, 2, 0]);
    const phases = (await collectivesOf('order', { plan: ONLY_COLUMNS })).map(({ op, phase }) => `${op} ${phase}`);
    expect(phases).toContain('allReduce backward');
  });

  test('columns, rows: the cheapest, in bytes and in time, on two ranks and on four', async () => {
    for (const tp of ['2', '4'])
      for (const of of ['bytesPerRank', 'stepTime'] as const) {
        const first = await value(of, 'order', { plan: COLUMNS_FIRST, tp });
        expect(first, `${of}, ${tp}`).toBeLessThan(await value(of, 'order', { plan: ROWS_FIRST, tp }));
        expect(first, `${of}, ${tp}`).toBeLessThan(await value(of, 'order', { plan: ONLY_COLUMNS, tp }));
      }
  });

  test('a pair inside a net has one all-reduce forward and one backward', async () => {
    const found = await collectivesOf('border');
    const inSecond = found.filter(({ module }) => module === '4' || module === '6');
    expect(inSecond.map(({ op, phase }) => [op, phase])).toEqual([
      ['allReduce', 'forward'],
      ['allReduce', 'backward'],
    ]);
  });

  test('while the ranks send, they compute nothing but the gradient of a weight', async () => {
    const hidden = async (plan: string) =>
      (await value('commTime', 'order', { plan })) - (await value('exposedTime', 'order', { plan }));
    expect(await hidden(COLUMNS_FIRST)).toBeCloseTo(0, 6);
    // Layer 2 hands back an addend of a gradient, which is summed while the layer computes that of its weight.
    for (const plan of [ROWS_FIRST, ONLY_COLUMNS]) expect(await hidden(plan)).toBeGreaterThan(0);
  });
});

describe('attention, by heads', () => {
  test('a block needs four all-reduces: two forward, two backward', async () => {
    const found = (await collectivesOf('heads')).filter(({ module }) => module.startsWith('blocks.0'));
    expect(found.map(({ op, module, phase }) => [op, module, phase])).toEqual([
      ['allReduce', 'blocks.0.proj', 'forward'],
      ['allReduce', 'blocks.0.fc2', 'forward'],
      ['allReduce', 'blocks.0.fc1', 'backward'],
      ['allReduce', 'blocks.0.qkv', 'backward'],
    ]);
  });

  test('on four ranks a rank has more than a quarter of the parameters: norms and positions are whole', async () => {
    const share =
      (await value('parameterMemory:0', 'heads', { tp: '4' })) /
      (await value('parameterMemory:0', 'heads', { tp: '1' }));
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.5);
    const { info } = await facts('heads', { tp: '4' });
    const first = info?.buffers.filter(({ device }) => device === 0) ?? [];
    const shape = (name: string) => first.find((own) => own.name === name)?.shape;
    expect(shape('pos.weight')).toEqual([16, 16]);
    expect(shape('blocks.0.ln1.weight')).toEqual([16]);
    expect(shape('blocks.0.qkv.weight')).toEqual([12, 16]);
  });

  test('ranks that do not divide the heads are refused', async () => {
    const { config } = readLink(linkOf(must(lesson.figures['heads'], 'heads').run, { tp: '8' }));
    await expect(runConfig(parseConfig({ ...config, steps: 1 }), {})).rejects.toThrow(/4 heads cannot be divided/);
  });
});

describe('sequence parallelism', () => {
  test('fewer activations, almost the same bytes', async () => {
    const share =
      (await value('activationMemory:0', 'sequence', { plan: BY_SEQUENCE })) /
      (await value('activationMemory:0', 'sequence'));
    expect(share).toBeLessThan(0.9);
    const more =
      (await value('bytesPerRank', 'sequence', { plan: BY_SEQUENCE })) / (await value('bytesPerRank', 'sequence'));
    expect(more).toBeGreaterThan(1);
    expect(more).toBeLessThan(1.1);
  });

  test('a reduce-scatter ends each pair, an all-gather is before the next', async () => {
    const found = await collectivesOf('sequence', { plan: BY_SEQUENCE });
    const forward = found.filter(({ module, phase }) => phase === 'forward' && module.startsWith('blocks.0'));
    expect(forward.map(({ op, module }) => [op, module])).toEqual([
      ['allGather', 'blocks.0.qkv'],
      ['reduceScatter', 'blocks.0.proj'],
      ['allGather', 'blocks.0.fc1'],
      ['reduceScatter', 'blocks.0.fc2'],
    ]);
  });
});

describe('why it stays inside a node', () => {
  test('DDP hides more than half of its communication here, a tensor group almost nothing', async () => {
    expect(await value('hidden', 'border', { mode: 'ddp' })).toBeGreaterThan(0.5);
    expect(await value('hidden', 'border')).toBeLessThan(0.1);
    expect(await right('hidden')).toEqual(['Almost nothing']);
  });

  test('over two nodes the ranks wait more than twice as long, for the same bytes', async () => {
    const waits = (nodes: string) => value('exposedTime', 'border', { nodes });
    expect((await waits('2')) / (await waits('1'))).toBeGreaterThan(2);
    expect(await value('stepTime', 'border', { nodes: '2' })).toBeGreaterThan(await value('stepTime', 'border'));
    expect(await value('bytesPerRank', 'border', { nodes: '2' })).toBe(await value('bytesPerRank', 'border'));
  });

  test('with twice the rows DDP sends as much as before, a tensor group twice as much', async () => {
    const grows = async (mode: string) =>
      (await value('bytesPerRank', 'border', { mode })) /
      (await value('bytesPerRank', 'border', { mode, batch: '256' }));
    expect(await grows('ddp')).toBe(1);
    expect(await grows('tensor')).toBe(2);
  });
});

describe('tasks', () => {
  test('sum: done where the addends are sent, once the reader has stepped', async () => {
    const there = await facts('cut', { moment: '7' });
    expect(sum?.done({ ...there, pressed: ['moment'] })).toBe(true);
    expect(sum?.done(there)).toBe(false);
    expect(sum?.done({ ...(await facts('cut', { moment: '5' })), pressed: ['moment'] })).toBe(false);
  });

  test('cheapest: done with columns first only', async () => {
    expect(cheapest?.done(await facts('order'))).toBe(false);
    expect(cheapest?.done(await facts('order', { plan: ONLY_COLUMNS }))).toBe(false);
    expect(cheapest?.done(await facts('order', { plan: COLUMNS_FIRST }))).toBe(true);
  });

  test('inside: two groups of two on two nodes send less than half of the bytes between them', async () => {
    expect(inside?.done(await facts('border'))).toBe(false);
    expect(inside?.done(await facts('border', { nodes: '2' }))).toBe(false);
    expect(inside?.done(await facts('border', { dp: '2' }))).toBe(false);
    expect(inside?.done(await facts('border', { nodes: '2', dp: '2' }))).toBe(true);
    const between = (dp: string) => value('bytesBetweenNodes', 'border', { nodes: '2', dp });
    expect((await between('2')) / (await between('1'))).toBeLessThan(0.5);
  });
});
