/**
 * Every optimiser over 20 steps of given gradients against torch on the CPU (1.13.1; NAdam 2.13), and what those cases
 * cannot show.
 */
import { describe, expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import { CpuScratch } from '../graph/cpu-scratch';
import type { OptimizerConfig } from '../protocol/config';
import { OPTIMIZER_TYPES } from '../protocol/config/optimizer';
import { adamRow } from './adam';
import { LATE_OPTIM_OPS } from './late-ops';
import { muProducts } from './nadam-product';
import { OPTIM_OPS } from './op-table';
import { optimizerOp, optimizerState } from './optimizer';
import { LATE_OPTIMIZERS } from './optimizers';
import { groupOf, type OptimizerSettings } from './param-groups';
import { makeStepScalars, SCALARS_LENGTH, type StepScalars } from './scalars';
import { sgdRow } from './sgd';
import { barAt, GRADIENTS, INITIAL, maxDistance, OPTIMIZER_CASES, optimizerConfig } from './testing/torch-cases';

const plain = (optimizer: OptimizerConfig): OptimizerSettings => ({ optimizer, scheduler: undefined, paramGroups: [] });

/**
 * One optimiser over parameters 'a', 'b' ... driven as a Program drives it: in place, through the operator, group by
 * group.
 */
function makeStepper(
  config: OptimizerSettings,
  parameters: readonly Float32Array[],
  scalarsAt: StepScalars = makeStepScalars(config),
) {
  const { op, attrs } = optimizerOp(config);
  const def = must(OPTIM_OPS.get(op) ?? LATE_OPTIM_OPS.get(op), op);
  const states = optimizerState(config).map(({ fill }) => parameters.map((p) => new Float32Array(p.length).fill(fill)));
  const names = parameters.map((_, i) => 'abc'.charAt(i));
  let t = 0;
  const step = (gradients: readonly Float32Array[]): void => {
    t += 1;
    const scalars = scalarsAt(t, 0);
    for (let group = 0; group <= config.paramGroups.length; group++) {
      const members = names.flatMap((name, i) => (groupOf(name, config.paramGroups) === group ? [i] : []));
      if (members.length === 0) continue;
      const pick = (list: readonly Float32Array[]) => members.map((i) => at(list, i));
      const own = scalars.subarray(group * SCALARS_LENGTH, (group + 1) * SCALARS_LENGTH);
      const outputs = [...pick(parameters), ...states.flatMap(pick)];
      const inputs = [own, ...pick(parameters), ...pick(gradients), ...states.flatMap(pick)];
      const inputTypes = inputs.map((array) => ({ shape: [array.length], dtype: 'f32' as const }));
      const all = { ...attrs, count: members.length };
      def.cpu({
        inputs,
        outputs,
        inputTypes,
        outputTypes: def.infer(inputTypes, all),
        attrs: all,
        scratch: new CpuScratch(),
      });
    }
  };
  return { step, states };
}

test.each(OPTIMIZER_CASES.map((c) => [c.name, c] as const))('%s', (_, c) => {
  const parameters = INITIAL();
  const { step, states } = makeStepper(c.config, parameters);
  for (const [k, gradients] of GRADIENTS.entries()) {
    step(gradients);
    for (const [i, expected] of (c.after.get(k + 1) ?? []).entries())
      expect(maxDistance(parameters[i], expected), `parameter ${i} after step ${k + 1}`).toBeLessThanOrEqual(
        barAt(k + 1),
      );
  }
  const kept = optimizerState(c.config).map(({ name }) => name);
  for (const [i, state] of c.finalState.entries()) {
    const stored = [...state].flatMap(([name, value]) => (value ? [name] : []));
    expect(kept.toSorted()).toEqual(stored.toSorted());
    for (const [s, name] of kept.entries()) {
      const expected = must(state.get(name), name);
      const scale = Math.max(1, ...expected.map(Math.abs));
      expect(maxDistance(states[s]?.[i], expected) / scale, `${name} of parameter ${i}`).toBeLessThanOrEqual(1e-6);
    }
  }
});

test.each(OPTIMIZER_TYPES)('%s has its code in one file of this folder or of late/', (type) => {
  const rows = [sgdRow, adamRow, ...LATE_OPTIMIZERS.get()].filter(({ types }) => types.includes(type));
  expect(rows).toHaveLength(1);
  const optimizer = optimizerConfig(type, {});
  const { op } = optimizerOp({ optimizer, scheduler: undefined });
  expect(rows.flatMap(({ ops }) => ops.map(({ name }) => name))).toContain(op);
});

test('the cases cover every optimiser of the configuration', () => {
  const covered = new Set(OPTIMIZER_CASES.map(({ config }) => config.optimizer.type));
  expect([...covered].toSorted()).toEqual(OPTIMIZER_TYPES.toSorted());
});

describe('NAdam, which torch 2.0 corrected', () => {
  const { config, after, before } = must(
    OPTIMIZER_CASES.find((c) => c.before !== undefined),
    'a case of NAdam with what torch 1.13 came to',
  );
  const { optimizer } = config;
  if (optimizer.type !== 'NAdam') throw new Error(optimizer.type);
  /** What the parameters are off at most after 20 steps. */
  const farAfter = (scalarsAt: StepScalars, expected: typeof after): number => {
    const parameters = INITIAL();
    const { step } = makeStepper(config, parameters, scalarsAt);
    for (const gradients of GRADIENTS) step(gradients);
    return Math.max(...parameters.map((p, i) => maxDistance(p, expected.get(20)?.[i])));
  };
  const mu = (t: number): number => optimizer.beta1 * (1 - 0.5 * 0.96 ** (t * optimizer.momentumDecay));
  const MOMENT_FACTOR = 7;
  /** The next product of momenta had the mu of the step itself twice: that is all that is different. */
  const as113: StepScalars = (t, epoch) => {
    const scalars = makeStepScalars(config)(t, epoch);
    const [product = 1] = muProducts(config, t);
    scalars[MOMENT_FACTOR] = (optimizer.lr * mu(t + 1)) / (1 - product * mu(t) * mu(t + 1));
    return scalars;
  };

  test('the rule is the rule of torch 2, and not of 1.13', () => {
    expect(farAfter(makeStepScalars(config), after)).toBeLessThanOrEqual(barAt(20));
    expect(farAfter(makeStepScalars(config), must(before, 'before'))).toBeGreaterThan(2 * barAt(20));
  });

  test('with the factor of 1.13 in its place it comes to what torch 1.13 came to', () => {
    expect(farAfter(as113, must(before, 'before'))).toBeLessThanOrEqual(barAt(20) / 10);
    expect(farAfter(as113, after)).toBeGreaterThan(2 * barAt(20));
  });
});

test('eps is added to the corrected root: a gradient as small as eps moves the weight by half the rate', () => {
  const weight = new Float32Array([0]);
  // Corrected m = g and sqrt(v) = g at t = 1, so the move is lr * g / (g + eps). eps inside the root, or before the
  // correction, gives 3 to 4 % of it.
  makeStepper(plain(optimizerConfig('Adam', { lr: 0.1 })), [weight]).step([new Float32Array([1e-8])]);
  expect(weight[0]).toBeCloseTo(-0.05, 6);
});

test('SGD: the first step copies the gradient into the buffer, dampening counts from the second on', () => {
  const weight = new Float32Array([0]);
  const config = plain(optimizerConfig('SGD', { lr: 1, momentum: 0.5, dampening: 0.25 }));
  const { step, states } = makeStepper(config, [weight]);
  step([new Float32Array([1])]);
  expect(states[0]?.[0]?.[0]).toBe(1);
  step([new Float32Array([1])]);
  expect(states[0]?.[0]?.[0]).toBe(1.25);
  expect(weight[0]).toBe(-2.25);
});

test.each(OPTIMIZER_TYPES)('%s: maximising is minimising with the gradients turned round', (type) => {
  const settings = { lr: 0.1, weight_decay: 0.01 };
  const up = INITIAL();
  const down = INITIAL();
  const ascent = makeStepper(plain(optimizerConfig(type, { ...settings, maximize: true })), up);
  const descent = makeStepper(plain(optimizerConfig(type, settings)), down);
  for (const gradients of GRADIENTS.slice(0, 4)) {
    ascent.step(gradients);
    descent.step(gradients.map((g) => g.map((value) => -value)));
  }
  expect(up).toEqual(down);
  expect(up).not.toEqual(INITIAL());
});

test('a NaN in the gradient reaches the weight', () => {
  for (const { config } of OPTIMIZER_CASES) {
    const weight = Float32Array.of(1, 1);
    makeStepper({ ...config, paramGroups: [] }, [weight]).step([Float32Array.of(Number.NaN, 1)]);
    expect([...weight].map(Number.isNaN), config.optimizer.type).toEqual([true, false]);
  }
});

test('a schedule that cycles the momentum gives SGD and RMSprop a buffer even where momentum is 0', () => {
  const scheduler = {
    type: 'OneCycleLR',
    maxLr: 0.1,
    totalSteps: 10,
    pctStart: 0.3,
    annealStrategy: 'cos',
    cycleMomentum: true,
    baseMomentum: 0.85,
    maxMomentum: 0.95,
    divFactor: 25,
    finalDivFactor: 1e4,
    threePhase: false,
    every: 'step',
  } as const;
  for (const type of ['SGD', 'RMSprop']) {
    const optimizer = optimizerConfig(type, {});
    const names = (settings: OptimizerSettings) => optimizerState(settings).map(({ name }) => name);
    expect(names(plain(optimizer))).not.toContain('momentum_buffer');
    expect(names({ optimizer, scheduler, paramGroups: [] })).toContain('momentum_buffer');
  }
});

test('parameters fall into the first group that matches, else into group 0', () => {
  const groups = [{ match: '*.bias' }, { match: 'blocks.*' }, { match: '*' }];
  expect(['0.bias', 'blocks.1.bias', 'blocks.1.weight', 'head'].map((name) => groupOf(name, groups))).toEqual([
    1, 1, 2, 3,
  ]);
  expect(groupOf('0.weight', [{ match: '*.bias' }, { match: '0xweight' }])).toBe(0);
});
