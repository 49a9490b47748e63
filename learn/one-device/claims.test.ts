/** What the lesson says of one step on one device, asked of runs. */
import { describe, expect, test } from 'vitest';
import { claimsOf } from '../../src/lessons/testing/claims';
import { momentSentence } from '../../src/trace/moments/moment-sentence';
import { momentsOf } from '../../src/trace/moments/moments';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);

async function traceOf(figure: string) {
  const { trace } = await facts(figure);
  if (!trace) throw new Error('no step');
  return trace;
}

describe('the queue', () => {
  test('gradients become ready one layer at a time, the last layer first', async () => {
    const { events } = await traceOf('step');
    const ready = events.flatMap(({ writes }) => writes.filter((name) => /^\d\.weight\.grad$/.test(name)));
    expect(ready).toEqual(['4.weight.grad', '2.weight.grad', '0.weight.grad']);
  });

  test('the weights change in the last moment and not before', async () => {
    const { events } = await traceOf('step');
    const phases = events.filter(({ writes }) => writes.some((name) => /(weight|bias)$/.test(name)));
    expect(phases.map(({ phase }) => phase)).toEqual(['step']);
    expect(events.at(-1)?.phase).toBe('step');
  });

  test('forward, loss, backward and step follow each other', async () => {
    const trace = await traceOf('step');
    const phases = momentsOf(trace).map(({ phase }) => phase);
    expect([...new Set(phases)]).toEqual(['data', 'forward', 'loss', 'backward', 'step']);
  });
});

describe('memory', () => {
  test('the floor is 16 bytes per weight with Adam and 8 with SGD, but for whole blocks', async () => {
    const weights = await value('parameters', 'memory');
    const inUse = (opt: string) => value('heldMemory', 'memory', { opt });
    expect((await inUse('adam')) / weights).toBeCloseTo(16, 0);
    expect((await inUse('sgd')) / weights).toBeCloseTo(8, 0);
    expect((await value('optimizerMemory', 'memory')) / (await value('parameterMemory', 'memory'))).toBeCloseTo(2, 1);
  });

  test('four times the batch needs four times the memory for activations, above the same constant memory', async () => {
    const floor = await value('heldMemory', 'memory');
    expect(await value('heldMemory', 'memory', { batch: '256' })).toBe(floor);
    const hill = (await value('allocated', 'memory')) - floor;
    const large = (await value('allocated', 'memory', { batch: '256' })) - floor;
    expect(large / hill).toBeCloseTo(4, 1);
  });

  test('another optimiser changes the constant memory, and not the activations', async () => {
    const hill = async (opt: string) =>
      (await value('allocated', 'memory', { opt })) - (await value('heldMemory', 'memory', { opt }));
    expect(await value('heldMemory', 'memory', { opt: 'sgd' })).toBeLessThan(await value('heldMemory', 'memory'));
    expect(await hill('sgd')).toBe(await hill('adam'));
  });

  test('from the third moment to the fourth one tensor comes and one goes', async () => {
    expect(await value('liveMemory', 'memory', { moment: '4' })).toBe(
      await value('liveMemory', 'memory', { moment: '3' }),
    );
    expect(await value('liveMemory', 'memory', { moment: '5' })).toBeGreaterThan(
      await value('liveMemory', 'memory', { moment: '4' }),
    );
    const trace = await traceOf('memory');
    const sentences = momentsOf(trace).map((moment) => momentSentence(trace, moment, 'modelled'));
    expect(sentences.slice(2, 4).map((sentence) => /\((\w+)\)/.exec(sentence)?.[1])).toEqual(['Tanh', 'Linear']);
    // The output of the first Linear is read by its Tanh and by nothing later.
    const readers = trace.events.filter(({ reads }) => reads.includes('0.out'));
    expect(readers.map(({ module, phase }) => [module, phase])).toEqual([['1', 'forward']]);
  });

  test('memory peaks in backward', async () => {
    const { choices } = choicesOf('fullest');
    const top = await value('fullestMoment', 'memory');
    const known = await facts('memory');
    expect(choices.map(({ right }) => right(top, known))).toEqual([false, true, false]);
  });
});

describe('time', () => {
  test('backward takes nearly twice as long as forward', async () => {
    const time = (phase: 'forward' | 'backward') => value(`phaseTime:${phase}`, 'time', { hardware: 'transputer' });
    const ratio = (await time('backward')) / (await time('forward'));
    expect(ratio).toBeGreaterThan(1.7);
    expect(ratio).toBeLessThan(2);
  });

  test('the first layer has one product in backward, the others two', async () => {
    const { events } = await traceOf('time');
    const products = (module: string) =>
      events.filter((e) => e.phase === 'backward' && e.module === module && e.kind === 'compute').length;
    expect(['0', '2', '4'].map(products)).toEqual([1, 2, 2]);
  });

  test('a step on B rows takes about 6 P B operations', async () => {
    const [flops, weights] = [await value('flops', 'time'), await value('parameters', 'time')];
    expect(flops / (6 * weights * 64)).toBeGreaterThan(1);
    expect(flops / (6 * weights * 64)).toBeLessThan(1.1);
  });

  test('on the A100 sixteen times the rows take hardly longer; on the slow machine many times as long', async () => {
    const steps = (hardware: string, batch: string) => value('stepTime', 'time', { hardware, batch });
    expect((await steps('pcie4', '256')) / (await steps('pcie4', '16'))).toBeLessThan(1.03);
    expect((await steps('transputer', '256')) / (await steps('transputer', '16'))).toBeGreaterThan(10);
  });

  test('the optimiser takes as long whatever the batch', async () => {
    for (const hardware of ['pcie4', 'transputer'])
      expect(await value('phaseTime:step', 'time', { hardware, batch: '256' })).toBe(
        await value('phaseTime:step', 'time', { hardware }),
      );
  });
});

describe('tasks', () => {
  test('the moment with the most in memory is found, not given', async () => {
    const { top } = lesson.tasks;
    expect(top?.done(await facts('memory'))).toBe(false);
    expect(top?.done(await facts('memory', { moment: '10' }))).toBe(true);
  });

  test('half takes both: the smaller batch and the plainer optimiser', async () => {
    const { half } = lesson.tasks;
    expect(await value('allocated', 'memory')).toBe(2 * 69_248);
    const done = async (changes: Record<string, string>) => half?.done(await facts('memory', changes));
    expect(await done({})).toBe(false);
    expect(await done({ batch: '16' })).toBe(false);
    expect(await done({ opt: 'sgd' })).toBe(false);
    expect(await done({ batch: '16', opt: 'sgd' })).toBe(true);
  });
});

function choicesOf(id: string) {
  const guess = lesson.predictions[id]?.guess;
  if (guess?.kind !== 'choice') throw new Error(`"${id}" has no choices`);
  return guess;
}
