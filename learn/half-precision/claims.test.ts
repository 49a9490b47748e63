/**
 * What the lesson on half precision says, held against runs.
 *
 * @module-tag rest: the runs that it speaks of are held by mixed-precision.test.ts; the claims of other lessons are
 * asked in the same way.
 */
import { describe, expect, test } from 'vitest';
import { at, must } from '../../src/base/invariant';
import { FORMATS, kind } from '../../src/lessons/drawing/kinds/sixteen-bits';
import type { Changes } from '../../src/lessons/lesson';
import { storedIn, storedNumbers } from '../../src/lessons/record/sixteen-bits';
import { claimsOf } from '../../src/lessons/testing/claims';
import { gradientSizes } from '../../src/trace/gradient-sizes';
import { lesson } from './lesson';

const { facts, value } = claimsOf(lesson);
const { cast, save, smooth } = lesson.tasks;
const { float32: FLOAT32, bfloat16: BFLOAT16, float16: FLOAT16 } = FORMATS;
const stored = ({ name }: { readonly name: keyof typeof FORMATS }, number: number): number =>
  storedIn(name, number).value ?? Number.POSITIVE_INFINITY;
const HALF = { precision: 'autocast-fp16' };
const SAVED = { ...HALF, scaler: '1' };

const events = async (figure: string, changes?: Changes) => must((await facts(figure, changes)).trace, 'a step').events;

describe('what sixteen bits hold', () => {
  test('each format ends where the drawing says', () => {
    for (const format of Object.values(FORMATS)) {
      expect(stored(format, 2 ** format.smallest), format.name).toBe(2 ** format.smallest);
      expect(stored(format, 2 ** format.smallest / 2.01), format.name).toBe(0);
      expect(stored(format, 2 ** (format.end - 1)), format.name).toBe(2 ** (format.end - 1));
      expect(stored(format, 2 ** format.end), format.name).toBe(Number.POSITIVE_INFINITY);
      // From its smallest with all digits on, the next number is one unit of the fraction away; below it is further.
      const next = (1 + 2 ** -format.fraction) * 2 ** format.full;
      expect(stored(format, next), format.name).toBe(next);
      expect(stored(format, next / 2), format.name).not.toBe(next / 2);
    }
  });

  test('65,504 is the largest of float16; bfloat16 reaches as far as float32, with two or three digits', () => {
    expect(stored(FLOAT16, 65_504)).toBe(65_504);
    expect(stored(FLOAT16, 65_520)).toBe(Number.POSITIVE_INFINITY);
    expect([BFLOAT16.full, BFLOAT16.end]).toEqual([FLOAT32.full, FLOAT32.end]);
    const digits = BFLOAT16.fraction * Math.log10(2);
    expect(digits).toBeGreaterThan(2);
    expect(digits).toBeLessThan(3);
    expect(FLOAT16.fraction).toBeGreaterThan(BFLOAT16.fraction);
  });

  test('a counter in bfloat16 does not get beyond 256', () => {
    expect(stored(BFLOAT16, 256 + 1)).toBe(256);
    expect(stored(BFLOAT16, 256 + 2)).toBe(258);
  });

  test('every knob of the drawing draws, and says what overflows and what vanishes', () => {
    const knob = at(kind.knobs(''), 0);
    const said = knob.values.map((number) =>
      kind.draw({ settings: { number }, width: 318, about: '', data: storedNumbers() }),
    );
    for (const { svg } of said) expect(svg).not.toMatch(/NaN|undefined/);
    expect(at(said, knob.values.indexOf('70000')).says).toContain('float16: inf (overflows)');
    expect(at(said, knob.values.indexOf('1e-10')).says).toContain('float16: 0 (vanishes)');
  });
});

describe('what autocast runs in sixteen bits', () => {
  const roundedBy = async (name: string, changes?: Changes): Promise<boolean> => {
    const all = await events('casts', changes);
    const index = all.findIndex((e) => e.name === name && e.phase !== 'backward');
    const next = all[index + 1];
    return (
      next !== undefined &&
      /^precision\/(round|pack)$/.test(next.name) &&
      next.reads.includes(must(all[index]?.writes[0], name))
    );
  };

  test('products, and operators that read only halves, are in half precision; residual sums with a float32 and losses are not', async () => {
    for (const precision of ['autocast-bf16', 'autocast-fp16']) {
      expect(await roundedBy('ops/linear', { precision }), precision).toBe(true);
      expect(await roundedBy('ops/tanh', { precision }), precision).toBe(true);
      expect(await roundedBy('ops/add', { precision }), precision).toBe(false);
      expect(await roundedBy('loss/mse', { precision }), precision).toBe(false);
    }
    expect((await events('casts', { precision: 'float32' })).some(({ name }) => name.startsWith('precision/'))).toBe(
      false,
    );
  });

  test('in a GPT the stream of residual sums is never rounded, and so is what a norm reads', async () => {
    const all = await events('bytes');
    const rounded = new Set(
      all.filter(({ name }) => /^precision\/(round|pack)$/.test(name)).flatMap(({ reads }) => reads),
    );
    const sums = all
      .filter(({ name, phase }) => name === 'ops/add' && phase === 'forward')
      .flatMap(({ writes }) => writes);
    expect(sums).toHaveLength(1 + 2 * 4);
    for (const sum of sums) expect(rounded.has(sum), sum).toBe(false);
    const norms = all.filter(({ name }) => name === 'norm/layer-norm').map(({ reads }) => reads[0]);
    for (const read of norms) expect(sums).toContain(read);
  });

  test('at the end each weight has a float32 gradient with the digits of a half', async () => {
    const { trace, info } = await facts('casts');
    const halves = gradientSizes(must(trace, 'a step'), must(info, 'a run'));
    expect(halves.map(({ module }) => module)).toEqual(['1', '0.layers.2', '0.layers.0']);
    const weights = (await events('casts')).flatMap(({ captured }) =>
      captured.filter(({ buffer }) => buffer === '1.weight.grad'),
    );
    const values = [...must(weights[0], 'a gradient').values];
    expect(values.map((number) => stored(BFLOAT16, number))).toEqual(values);
  });
});

describe('what it saves', () => {
  test('only activations need less memory, by less than half', async () => {
    const of = (kindOf: 'parameter' | 'gradient' | 'optimizer' | 'activation', precision: string) =>
      value(`${kindOf}Memory:0`, 'bytes', { precision });
    for (const same of ['parameter', 'gradient', 'optimizer'] as const)
      expect(await of(same, 'autocast-bf16')).toBe(await of(same, 'float32'));
    const share = (await of('activation', 'autocast-bf16')) / (await of('activation', 'float32'));
    expect(share).toBeLessThan(0.85);
    expect(share).toBeGreaterThan(0.5);
    expect(await of('activation', 'autocast-fp16')).toBe(await of('activation', 'autocast-bf16'));
  });
});

describe('what float16 loses', () => {
  test('in float32 no gradient is 0, and each layer’s largest is smaller than that of the layer behind it', async () => {
    const { trace, info } = await facts('lost');
    const layers = gradientSizes(must(trace, 'a step'), must(info, 'a run'));
    expect(layers).toHaveLength(8);
    expect(layers.map(({ zeros }) => zeros)).toEqual(layers.map(() => 0));
    const largest = layers.map(({ powers }) => Math.max(...powers));
    for (const [index, power] of largest.slice(1).entries())
      expect(power).toBeLessThan(must(largest[index], 'a layer'));
  });

  test('in float16 the gradients of the first layer are 0, and nothing is inf; in bfloat16 no gradient is 0', async () => {
    expect(await value('zeroGradients:0', 'lost', HALF)).toBe(await value('gradients:0', 'lost', HALF));
    expect(await value('gradients:0', 'lost')).toBe(24);
    expect(await value('infiniteGradients', 'lost', HALF)).toBe(0);
    expect(await value('zeroGradients', 'lost', { precision: 'autocast-bf16' })).toBe(0);
  });

  test('the net learns in float32, in bfloat16 and with a scaler, and not in float16 without one', async () => {
    const lossAfter = (changes: Changes) => value('trainLoss', 'lost', { ...changes, at: '240' });
    const before = await value('trainLoss', 'lost', { at: '1' });
    expect(await lossAfter(HALF)).toBeGreaterThan(before - 0.01);
    for (const changes of [{}, { precision: 'autocast-bf16' }, SAVED])
      expect(await lossAfter(changes), JSON.stringify(changes)).toBeLessThan(before - 0.1);
  });

  test('a scale moves all gradients by its power of two, and no one is lost', async () => {
    const sizes = async (changes: Changes) => {
      const { trace, info } = await facts('lost', changes);
      return gradientSizes(must(trace, 'a step'), must(info, 'a run')).map(({ powers }) => Math.max(...powers));
    };
    const [plain, scaled] = [await sizes({}), await sizes(SAVED)];
    for (const [index, power] of scaled.entries()) expect(power).toBeCloseTo(must(plain[index], 'a layer') + 16, 0);
    expect(await value('zeroGradients', 'lost', SAVED)).toBe(0);
  });
});

describe('how the scale finds its place', () => {
  test('the scale halves after a skipped step, doubles after the given number of good steps in a row, and else stays', async () => {
    const { losses } = (await facts('scale')).app;
    let [scale, good] = [2 ** 30, 0];
    for (const { scaler } of losses) {
      const { skipped, scale: next } = must(scaler, 'a scaler');
      good = skipped ? 0 : good + 1;
      const grows = good === 20;
      expect(next).toBe(skipped ? scale / 2 : grows ? 2 * scale : scale);
      if (grows) good = 0;
      scale = next;
    }
    expect(losses).toHaveLength(60);
  });

  test('the scale falls in the first steps, and later a step overflows now and then', async () => {
    const skips = (await facts('scale')).app.losses.map(({ scaler }) => scaler?.skipped === true);
    const first = skips.indexOf(false);
    expect(first).toBeGreaterThan(5);
    const later = skips.slice(first).filter(Boolean).length;
    expect(later).toBeGreaterThan(0);
    expect(later).toBeLessThan(6);
  });

  test('a skipped step changes no weight', async () => {
    const { trace } = await facts('scale', { at: '1' });
    const { losses, initial, events: all } = must(trace, 'a step');
    expect(losses.scaler?.skipped).toBe(true);
    const before = must(initial[0], 'a device').captured.find(({ buffer }) => buffer === '0.weight');
    const after = all
      .flatMap(({ captured, phase }) => (phase === 'step' ? captured : []))
      .findLast(({ buffer }) => buffer === '0.weight');
    if (after) expect([...after.values]).toEqual([...must(before, 'weights').values]);
    const { trace: second } = await facts('scale', { at: '2' });
    const now = must(must(second, 'a step').initial[0], 'a device').captured.find(
      ({ buffer }) => buffer === '0.weight',
    );
    expect([...must(now, 'weights').values]).toEqual([...must(before, 'weights').values]);
  });

  test('under DDP both ranks skip where the gradient of one of them is inf', async () => {
    const { losses } = (await facts('scale', { mode: 'ddp', world: '2', at: '12' })).app;
    expect(losses.some(({ scaler }) => scaler?.skipped)).toBe(true);
    expect(await value('divergence', 'scale', { mode: 'ddp', world: '2', at: '12' })).toBe(0);
  });
});

test('clipped before unscale_, the weights hardly move; after it, the net learns', async () => {
  const [begin, right, wrong] = [
    await value('trainLoss', 'clip', { at: '1' }),
    await value('trainLoss', 'clip', { unscaleFirst: '1' }),
    await value('trainLoss', 'clip', { unscaleFirst: '0' }),
  ];
  expect(right).toBeLessThan(begin / 10);
  expect(Math.abs(wrong - begin)).toBeLessThan(0.05);
});

describe('tasks', () => {
  test('cast: in backward, where a weight gets its float32 gradient, once the reader has stepped', async () => {
    const there = await facts('casts', { moment: '10' });
    expect(cast?.done({ ...there, pressed: ['moment'] })).toBe(true);
    expect(cast?.done(there)).toBe(false);
    expect(cast?.done({ ...(await facts('casts', { moment: '9' })), pressed: ['moment'] })).toBe(false);
  });

  test('save: float16 with a scale alone', async () => {
    const done = async (changes: Changes) => save?.done(await facts('lost', changes));
    expect(await Promise.all([{}, HALF, { precision: 'autocast-bf16' }, SAVED].map(done))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test('smooth: a low first scale', async () => {
    const done = async (changes: Changes) => smooth?.done(await facts('scale', changes));
    expect(await done({})).toBe(false);
    expect(await done({ initScale: '256' })).toBe(true);
    expect(await done({ initScale: '256', at: '20' })).toBe(false);
  });
});
