/**
 * Rates and momenta of every schedule against lists of torch 1.13.1 (optim.json, and schedules.json: two parameter
 * groups, the second with lr 0.03, chains of schedules; CyclicLR with beta1 is torch 2.13's), to 1e-12; and that the
 * numbers of a step depend on nothing but the step.
 */
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { at } from '../base/invariant';
import { schedulerSchema } from '../protocol/config/scheduler';
import lists from './fixtures/optim.json';
import own from './fixtures/schedules.json';
import type { OptimizerSettings } from './param-groups';
import { makeSchedule } from './rates';
import { ReduceLROnPlateau } from './reduce-on-plateau';
import { makeStepScalars, SCALARS_LENGTH, stepScalars } from './scalars';
import { DECAY, LR, WEIGHT_DECAY } from './scalars-layout';
import { optimizerConfig } from './testing/torch-cases';

const scheduler = (settings: unknown) => v.parse(schedulerSchema, settings);

const NAMES: Readonly<Record<string, string>> = { T_max: 'tMax', T_0: 't0', T_mult: 'tMult' };
const camel = (name: string): string =>
  NAMES[name] ?? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** 'StepLR(step_size=3, gamma=0.5)' as a configuration. */
function parsed(text: string): unknown {
  if (text.startsWith('LambdaLR(warmup 5')) return { type: 'WarmupInverseSqrt', warmupSteps: 5 };
  // 0.95 ** n is what ExponentialLR comes to.
  if (text.startsWith('LambdaLR')) return { type: 'ExponentialLR', gamma: 0.95 };
  if (text.startsWith('SequentialLR')) {
    const inner = [...text.slice(13).matchAll(/\w+LR\([^)]*\)/g)].map(([part]) => parsed(part));
    return { type: 'SequentialLR', schedulers: inner, milestones: [4] };
  }
  const [, type, args = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  const values = [...args.matchAll(/(\w+)=(\[[^\]]*\]|[^,]+)/g)].map(([, name = '', value = '']) => {
    const literal = value.replace('True', 'true').replace('False', 'false');
    return [camel(name), /^[a-z]+$/.test(literal) && !/^(true|false)$/.test(literal) ? literal : JSON.parse(literal)];
  });
  return { type, ...Object.fromEntries(values) };
}

function expectRelative(actual: number, expected: number, what: string): void {
  expect(Math.abs(actual - expected), `${what}: ${actual} for ${expected}`).toBeLessThanOrEqual(
    1e-12 * Math.abs(expected),
  );
}

type Listed = (typeof lists.schedulers)[number] & {
  readonly momentum?: readonly number[];
  readonly betas?: readonly (readonly number[])[];
};
const LISTED = (lists.schedulers as unknown as readonly Listed[]).filter((s) => !s.scheduler.startsWith('Reduce'));

describe('optim.json', () => {
  test.each(LISTED.map((s) => [s.scheduler, s] as const))('%s', (text, s) => {
    const config: OptimizerSettings = {
      optimizer: optimizerConfig(s.optimizer, { lr: s.base_lr }),
      scheduler: scheduler(parsed(text)),
      paramGroups: [],
    };
    const ratesAt = makeSchedule(config);
    const momenta = s.momentum ?? s.betas?.map((pair) => at(pair, 0));
    for (const [n, lr] of s.lr_before_each_step.entries()) {
      // torch was asked for one step more than the schedule has; ours stays.
      if (config.scheduler?.type === 'OneCycleLR' && n >= config.scheduler.totalSteps) continue;
      const group = at(ratesAt(n), 0);
      expectRelative(group.lr, lr, `lr of step ${n}`);
      if (momenta) expectRelative(group.momentum, at(momenta, n), `momentum of step ${n}`);
    }
  });

  test('ReduceLROnPlateau(factor=0.5, patience=2)', () => {
    const stored = lists.schedulers.find((s) => s.scheduler.startsWith('Reduce'));
    const group = { lr: stored?.base_lr ?? 0 };
    const plateau = new ReduceLROnPlateau([group], { factor: 0.5, patience: 2 });
    const rates = [group.lr];
    for (const metric of stored?.metrics ?? []) {
      plateau.step(metric);
      rates.push(group.lr);
    }
    expect(rates).toEqual(stored?.lr_before_each_step);
  });
});

test.each(own.schedules.map((s) => [`${s.optimizer.type}: ${JSON.stringify(s.scheduler)}`, s] as const))(
  '%s',
  (_, s) => {
    const { type, ...keywords } = s.optimizer;
    const ratesAt = makeSchedule({
      optimizer: optimizerConfig(type, keywords),
      scheduler: scheduler(s.scheduler),
      paramGroups: [{ match: 'second', lr: 0.03 }],
    });
    for (const [n, groups] of s.rates.entries()) {
      for (const [k, [lr, momentum]] of groups.entries()) {
        const { lr: actual, momentum: cycled } = at(ratesAt(n), k);
        expectRelative(actual, lr ?? Number.NaN, `lr of group ${k} in step ${n}`);
        if (typeof momentum === 'number') expectRelative(cycled, momentum, `momentum of group ${k} in step ${n}`);
      }
    }
  },
);

test('ReduceLROnPlateau: max, absolute threshold, cooldown and floor', () => {
  const group = { lr: 1 };
  const plateau = new ReduceLROnPlateau([group], {
    mode: 'max',
    factor: 0.3,
    patience: 1,
    threshold: 0.05,
    thresholdMode: 'abs',
    cooldown: 2,
    minLr: 0.02,
  });
  const rates = [group.lr];
  for (const metric of own.plateau.metrics) {
    plateau.step(metric);
    rates.push(group.lr);
  }
  expect(rates).toEqual(own.plateau.lr);
});

const oneCycle = scheduler({ type: 'OneCycleLR', maxLr: 0.2, totalSteps: 12 });

test('after its last step OneCycleLR keeps its rate', () => {
  const ratesAt = makeSchedule({ optimizer: optimizerConfig('SGD', {}), scheduler: oneCycle, paramGroups: [] });
  const last = { ...at(ratesAt(11), 0) };
  expect(last.lr).toBeCloseTo(0.2 / 25 / 1e4, 12);
  for (const n of [12, 13, 500]) expect(at(ratesAt(n), 0)).toEqual(last);
});

test('a first phase of one step is over at once, where torch divides by zero', () => {
  const short = scheduler({ type: 'OneCycleLR', maxLr: 0.2, totalSteps: 10, pctStart: 0.1 });
  const ratesAt = makeSchedule({ optimizer: optimizerConfig('SGD', {}), scheduler: short, paramGroups: [] });
  expect([0, 9].map((n) => at(ratesAt(n), 0).lr)).toEqual([0.2, 0.2 / 25 / 1e4]);
});

test('NAdam with a cycled beta1 multiplies the mu of every step, as torch 2.13 does', () => {
  const config = { optimizer: optimizerConfig('NAdam', { lr: 0.1 }), scheduler: oneCycle, paramGroups: [] };
  const scalarsAt = makeStepScalars(config);
  const weight = [0.5, -1];
  const [m, square] = [
    [0, 0],
    [0, 0],
  ];
  for (const [k, expected] of own.nadamOneCycle.entries()) {
    const s = scalarsAt(k + 1, 0);
    for (const [i, g] of [0.3 * (k + 1), -0.2 + 0.1 * k].entries()) {
      m[i] = at(s, 2) * at(m, i) + at(s, 3) * g;
      square[i] = at(s, 4) * at(square, i) + at(s, 5) * g * g;
      const root = Math.sqrt(at(square, i) / at(s, 9)) + at(s, 8);
      weight[i] = at(weight, i) - (at(s, 6) * g) / root - (at(s, 7) * at(m, i)) / root;
      expect(at(weight, i)).toBeCloseTo(expected[i] ?? Number.NaN, 5);
    }
  }
});

test('the scalars of a step are those of a run that came there by itself, in any order', () => {
  const settings: OptimizerSettings[] = [
    { optimizer: optimizerConfig('NAdam', {}), scheduler: oneCycle, paramGroups: [{ match: '*.bias', lr: 0.5 }] },
    {
      optimizer: optimizerConfig('SGD', { momentum: 0.9 }),
      scheduler: scheduler({ type: 'CosineAnnealingWarmRestarts', t0: 2, tMult: 2 }),
      paramGroups: [],
    },
  ];
  for (const config of settings) {
    const walked = makeStepScalars(config);
    for (const t of [1, 2, 3, 9, 10, 4, 1, 7]) expect(walked(t, 0)).toEqual(stepScalars(config, t, 0));
  }
});

test('a schedule by epochs depends on the epoch, a schedule by steps on the step', () => {
  const of = (every: string) => ({
    optimizer: optimizerConfig('SGD', { lr: 1 }),
    scheduler: scheduler({ type: 'ExponentialLR', gamma: 0.5, every }),
    paramGroups: [],
  });
  expect([1, 4, 5].map((t) => stepScalars(of('epoch'), t, Math.floor((t - 1) / 4))[0])).toEqual([1, 1, 0.5]);
  expect([1, 4, 5].map((t) => stepScalars(of('step'), t, Math.floor((t - 1) / 4))[0])).toEqual([1, 0.125, 0.0625]);
});

test('each group has a slice of its own', () => {
  const scalars = stepScalars(
    {
      optimizer: optimizerConfig('AdamW', { lr: 0.5, weight_decay: 0.25 }),
      scheduler: undefined,
      paramGroups: [{ match: '*.bias', weightDecay: 0 }],
    },
    1,
    0,
  );
  expect(scalars.length).toBe(2 * SCALARS_LENGTH);
  expect([LR, WEIGHT_DECAY, DECAY].map((i) => scalars[i])).toEqual([0.5, 0.25, 0.875]);
  expect([LR, WEIGHT_DECAY, DECAY].map((i) => scalars[SCALARS_LENGTH + i])).toEqual([0.5, 0, 1]);
});
